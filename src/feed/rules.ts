export const POST_LENGTH_MAX = 8_000;
export const TOPIC = /^[a-z0-9][a-z0-9_-]{0,39}$/;
export const REPORT_RULE_LENGTH_MAX = 200;
