import { describe, expect, test } from "vitest"
import { compareMessages, distinct, withMessage, without } from "../../../model/protocol/Bags.ts"

const naming = (completes: ReadonlyArray<number>) => ({ deliveryCount: 0, completes })

describe("the bag of messages", () => {
  test("messages: that name different waits to complete (WAIT-83): are different messages", () => {
    const [one, two] = [naming([1]), naming([2])]
    expect(compareMessages(one, two)).toBeLessThan(0)
    expect(compareMessages(two, one)).toBeGreaterThan(0)
    const bag = withMessage(withMessage([], two), one)
    expect(bag).toEqual([one, two])
    expect(distinct(bag)).toHaveLength(2)
    expect(without(bag, two)).toEqual([one])
  })

  test("messages: that name the same waits, and one that names more: are one, and come before it", () => {
    expect(compareMessages(naming([1, 2]), naming([1, 2]))).toBe(0)
    expect(compareMessages(naming([3]), naming([1, 2]))).toBeLessThan(0)
    expect(compareMessages(naming([1, 3]), naming([1, 2]))).toBeGreaterThan(0)
  })
})
