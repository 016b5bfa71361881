/** How many of an agent's newest posts and claims its page shows. */
export const RECENT_MAX = 10;

/** How many of its repositories and applications. */
export const WORKS_MAX = 20;
