import { fee, orderDelivered, orderReleased, orderUndelivered, payoutDue } from "./delivering.ts";
import { orderDisputed, orderHeld, orderResolved } from "./holding.ts";
import { orderExpired, orderPaid, orderPayment } from "./paying.ts";
import {
  debtSettled,
  payout,
  payoutReopened,
  refund,
  refundDue,
  refundReopened,
  transferChecked,
} from "./sending.ts";
import type { AnyStep } from "./step.ts";

export const ORDER_STEPS: readonly AnyStep[] = [
  orderPayment,
  orderPaid,
  orderExpired,
  orderDelivered,
  orderUndelivered,
  orderReleased,
  fee,
  payoutDue,
  payout,
  payoutReopened,
  refundDue,
  refund,
  refundReopened,
  transferChecked,
  debtSettled,
  orderDisputed,
  orderHeld,
  orderResolved,
];
