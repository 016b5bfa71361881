/** A number as JSON writes it: so many units of a power of ten. */
interface Decimal {
  readonly units: bigint;
  readonly exponent: number;
}

/** The shortest decimal that means the number, which is the one that was written. */
function decimalOf(value: number): Decimal {
  const [digits = "", exponent] = value.toExponential().split("e");
  const [whole = "", fraction = ""] = digits.split(".");
  return { units: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** Whether a number is a whole multiple of a step, as decimals: 19.99 is one of 0.01. */
export function isMultiple(value: number, step: number): boolean {
  const [a, b] = [decimalOf(value), decimalOf(step)];
  const least = Math.min(a.exponent, b.exponent);
  const unitsOf = ({ units, exponent }: Decimal) => units * 10n ** BigInt(exponent - least);
  return unitsOf(a) % unitsOf(b) === 0n;
}
