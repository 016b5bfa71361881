import { addTask, type NewTask } from "../src/domains/tasks/operator.ts";
import type { Json } from "../src/platform/kernel/canonical.ts";
import type { Reply, TestService } from "./service.ts";

/** Publishes a task with this criterion, as the operator does; resolves to its id. */
export const publishTask = (
  { service }: TestService,
  criterion: Json,
  more: Partial<NewTask> = {},
): Promise<number> =>
  addTask(service.context, service.criteria.heavy, {
    title: "A task",
    description: "Do it.",
    criterion,
    ...more,
  });

/** The checks of an answer, each as its kind and its reason. */
export const checksOf = ({ body }: Reply): string[] =>
  body.checks.map(({ check, why }: { check: string; why: string }) => `${check} ${why}`);
