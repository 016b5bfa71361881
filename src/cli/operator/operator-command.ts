import type * as z from "zod";
import { type Act, warningOf } from "../../domains/operator/act.ts";
import { type Command, type CommandRecord, command } from "../command/command.ts";

/** A command of the operator: it works on the database itself, beside the service if it runs. */
export const operatorCommand = <I extends z.ZodObject>(
  record: Omit<CommandRecord<I, "service">, "opens" | "exits">,
): Command =>
  command<I, "service">({
    ...record,
    opens: "service",
    exits: { 0: "done", 1: "refused", 2: "wrong usage" },
  });

/** An act as a command. */
export const actCommand = ({ run, effect, ...words }: Act): Command =>
  operatorCommand({
    ...words,
    ...(warningOf(effect) !== null && { confirms: () => warningOf(effect) }),
    run: ({ service: { context }, values }) => run(context, values),
  });
