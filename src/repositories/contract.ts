export const repositories = {};
