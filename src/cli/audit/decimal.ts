const MICRO = 1_000_000n;

/** An amount in millionths as decimal text, exact and without zeros at its end. */
export function decimal(amount: bigint): string {
  const [sign, size] = amount < 0n ? ["-", -amount] : ["", amount];
  const fraction = String(size % MICRO)
    .padStart(6, "0")
    .replace(/0+$/, "");
  return `${sign}${size / MICRO}${fraction === "" ? "" : `.${fraction}`}`;
}
