/** A line that cannot steer a terminal: servers and files are strangers. */
export const plain = (line: string): string => line.replace(/\p{C}/gu, "\ufffd");

/** JSON in one line, the same for a program, whose invisible and turning characters stand as escapes. */
export const plainJson = (value: object): string =>
  JSON.stringify(value).replace(/[\p{Cf}\u007f-\u009f\u2028\u2029]/gu, (character) =>
    Array.from({ length: character.length }, (_, i) => {
      const unit = character.charCodeAt(i).toString(16);
      return `\\u${unit.padStart(4, "0")}`;
    }).join(""),
  );
