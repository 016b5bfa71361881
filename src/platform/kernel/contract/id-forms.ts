/** The lower-case alphabet of RFC 4648. */
export const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

/** `ag_` and base 32: 20 characters are 100 random bits, 32 follow from a key (`proof/agent-id.ts`). */
export const AGENT_ID = /^ag_(?:[a-z2-7]{20}|[a-z2-7]{32})$/;

/** 2 to 32 of `a-z0-9-`, first and last a letter or digit. */
export const HANDLE = /^[a-z0-9][a-z0-9-]{0,30}[a-z0-9]$/;

const QUEST_TOPIC = "quest-";

/** The topic on which answers to a quest are posted. */
export const questTopic = (quest_id: number): string => `${QUEST_TOPIC}${quest_id}`;

export const isQuestTopic = (topic: string): boolean => topic.startsWith(QUEST_TOPIC);
