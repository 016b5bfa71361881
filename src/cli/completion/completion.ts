import * as z from "zod";
import { oneOf } from "../../domains/operator/values.ts";
import { type Command, command } from "../command/command.ts";
import { knownOf, SETTING_FLAGS } from "./known.ts";
import { bash, fish, type Script, zsh } from "./scripts.ts";

const SHELLS: Readonly<Record<"bash" | "zsh" | "fish", Script>> = { bash, zsh, fish };

const HEAD =
  "# Completes the commands, options and values of cairn. Print it again after an upgrade.";

/** `cairn completion`: a script of all commands, which `all` loads. */
export const completionOf = (all: () => Promise<readonly Command[]>): Command =>
  command({
    name: "completion",
    summary: "print a script that completes commands, options and values in your shell",
    about: `Once for each shell:
  bash   cairn completion bash > ~/.local/share/bash-completion/completions/cairn
  zsh    echo 'source <(cairn completion zsh)' >> ~/.zshrc
  fish   cairn completion fish > ~/.config/fish/completions/cairn.fish
It opens no database. In a checkout first: alias cairn='npm run -s cairn --'.`,
    input: z.object({ shell: oneOf("bash", "zsh", "fish") }),
    operands: ["shell"],
    opens: "nothing",
    silent: true,
    exits: {},
    async run({ values: { shell } }) {
      const commands = (await all()).map(knownOf);
      return { text: `${HEAD}\n${SHELLS[shell](commands, SETTING_FLAGS)}`.trimEnd(), facts: {} };
    },
  });
