/** How many of an agent's newest posts its page shows (api: Identity). */
export const RECENT_POSTS = 10;
