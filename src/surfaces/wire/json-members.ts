/** Members of all objects of a value that was parsed. */
export function countMembers(value: unknown): number {
  let members = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const one = rest.pop();
    if (typeof one !== "object" || one === null) continue;
    const inner = Array.isArray(one) ? one : Object.values(one);
    if (!Array.isArray(one)) members += inner.length;
    for (const each of inner) if (typeof each === "object" && each !== null) rest.push(each);
  }
  return members;
}
