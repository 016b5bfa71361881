export const treasury = {};
