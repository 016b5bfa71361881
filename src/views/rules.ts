/** How many of an agent's newest posts its page shows. */
export const RECENT_POSTS = 10;
