import type { Known, KnownOption, Takes } from "./known.ts";

/** The script that completes `cairn` in a shell, of what is known when it is printed. */
export type Script = (commands: readonly Known[], settings: readonly KnownOption[]) => string;

/** The words that may follow some typed ones, and those of them that begin more commands. */
function beginnings(commands: readonly Known[]): ReadonlyMap<string, ReadonlySet<string>> {
  const after = new Map<string, Set<string>>();
  for (const { name } of commands) {
    const words = name.split(" ");
    for (const [i, word] of words.entries()) {
      const typed = words.slice(0, i).join(" ");
      after.set(typed, (after.get(typed) ?? new Set()).add(word));
    }
  }
  return after;
}

const wordsIn = (takes: Takes): string => (typeof takes === "string" ? "" : takes.join(" "));

/** For bash, and for zsh by its own emulation of bash's completion. */
export const bash: Script = (commands, settings) => {
  const cases: string[] = [];
  const add = (pattern: string, words: string) =>
    cases.push(`    "${pattern}") words="${words}" ;;`);
  for (const { name, options, operand, takesSettings } of commands) {
    const flags = options.map(({ flag }) => flag).join(" ");
    const more = takesSettings ? " $settings" : "";
    add(name, [wordsIn(operand), flags].filter((each) => each !== "").join(" ") + more);
  }
  const names = new Set(commands.map(({ name }) => name));
  for (const [typed, words] of beginnings(commands))
    if (!names.has(typed)) add(typed, [...words].join(" "));

  const values: string[] = [];
  const all = [...commands.flatMap(({ options }) => options), ...settings];
  for (const [flag, options] of Map.groupBy(all, (option) => option.flag)) {
    const words = [
      ...new Set(options.flatMap(({ takes }) => (typeof takes === "string" ? [] : takes))),
    ];
    if (words.length > 0) values.push(`    ${flag}) words="${words.join(" ")}" ;;`);
    else if (options.some(({ takes }) => takes === "file")) values.push(`    ${flag}) words="" ;;`);
    else if (options.every(({ takes }) => takes === "text")) values.push(`    ${flag}) return ;;`);
  }
  return `_cairn() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  local settings="${settings.map(({ flag }) => flag).join(" ")}"
  local path="" word words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$path $word" in
${namesOf(commands)}
    esac
  done
  case "$path" in
${cases.join("\n")}
  esac
  case "$before" in
${values.join("\n")}
  esac
  COMPREPLY=()
  [ -n "$words" ] && COMPREPLY=($(compgen -W "$words" -- "$current"))
  return 0
}
complete -o default -F _cairn cairn
`;
};

/** The cases that follow the words of a command's name as they are typed. */
function namesOf(commands: readonly Known[]): string {
  const paths = new Set<string>();
  for (const { name } of commands) {
    const words = name.split(" ");
    for (const i of words.keys()) paths.add(words.slice(0, i + 1).join(" "));
  }
  return [...paths]
    .map((path) => {
      const before = path.split(" ").slice(0, -1).join(" ");
      return `      "${before} ${path.split(" ").at(-1)}") path="${path}" ;;`;
    })
    .join("\n");
}

export const zsh: Script = (commands, settings) =>
  `autoload -U +X compinit && compinit -u\nautoload -U +X bashcompinit && bashcompinit\n${bash(commands, settings)}`;

const quoted = (text: string): string =>
  `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

export const fish: Script = (commands, settings) => {
  const lines = [
    "function __cairn_at",
    "  set -l typed (commandline -opc)[2..-1]",
    "  set -l words",
    "  for word in $typed; string match -q -- '-*' $word; and break; set -a words $word; end",
    '  test "$words" = "$argv[1]"; or string match -q -- "$argv[1] *" "$words"',
    "end",
    "function __cairn_after",
    "  set -l typed (commandline -opc)[2..-1]",
    '  test "$typed" = "$argv[1]"',
    "end",
    "complete -c cairn -f",
  ];
  const names = new Map(commands.map((command) => [command.name, command.summary]));
  for (const [typed, words] of beginnings(commands))
    for (const word of words) {
      const meaning = names.get(`${typed} ${word}`.trim()) ?? `commands of ${word}`;
      lines.push(
        `complete -c cairn -n "__cairn_after '${typed}'" -a ${word} -d ${quoted(meaning)}`,
      );
    }
  for (const { name, options, operand, takesSettings } of commands) {
    const at = `complete -c cairn -n "__cairn_at '${name}'"`;
    if (operand === "file") lines.push(`${at} -F`);
    if (typeof operand !== "string") lines.push(`${at} -a '${operand.join(" ")}'`);
    for (const { flag, takes, meaning } of [...options, ...(takesSettings ? settings : [])]) {
      const [line = ""] = meaning.split("\n");
      const valued =
        takes === "nothing" ? "" : takes === "file" ? " -r -F" : ` -x -a '${wordsIn(takes)}'`;
      lines.push(`${at} -l ${flag.slice(2)}${valued}${line === "" ? "" : ` -d ${quoted(line)}`}`);
    }
  }
  return `${lines.join("\n")}\n`;
};
