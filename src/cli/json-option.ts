/**
 * Whether a command is to print JSON. It is asked before the arguments are read, because a refusal of
 * them is JSON then, too. What follows `--` is no option.
 */
export function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end === -1 ? args.length : end).includes("--json");
}
