export const claims = {};
