/**
 * The edge cases of the documents, each told in a few sentences, with the model and the rule that show it.
 *
 * They are in the order of the documents' chapter on edge cases. The id is that of the case's first rule in the catalogue.
 *
 * @module
 */

/** One edge case. */
export interface EdgeStory {
  /** `EDGE-01`. */
  readonly id: string
  readonly title: string
  /** What happens, and why it goes wrong without the rule. */
  readonly story: string
  /** What the rule does about it. */
  readonly now: string
  /** The model, and the rule that is switched off in it; absent where nothing can be switched off. */
  readonly shown?: { readonly model: string; readonly without: string }
  /** Why no rule can be switched off, where that is so; and a model in which the case can be walked through. */
  readonly unshown?: { readonly why: string; readonly model?: string }
}

/** The edge cases. */
export const stories: ReadonlyArray<EdgeStory> = [
  {
    id: "EDGE-01",
    title: "A lease that lapses while its delivery is busy",
    story:
      "A delivery is stuck in a long computation, and its lease runs out. The queue takes it for dead and delivers the message again. Now two deliveries believe that the run is theirs: each has read the log, and each writes its next decision.",
    now: "Every in-band write names how many in-band writes its author knows of. The second writer’s number is out of date, so its write is refused, and it stops.",
    shown: { model: "lease-stall-gated", without: "fence" }
  },
  {
    id: "EDGE-02",
    title: "A delivery that is refused because of itself",
    story:
      "A write takes so long that the World gives up on its slot and seals it. The count has moved on, and the delivery’s own next write is refused, although nobody else is about. If it now acknowledges its message, nothing is left that would drive the run.",
    now: "A refused delivery does not ask who is to blame. It asks for its own message again, and the next delivery starts from a fresh log.",
    shown: { model: "slots-self-superseded", without: "self-refusal-redelivers" }
  },
  {
    id: "EDGE-03",
    title: "Two deliveries, and the one that owes a message dies",
    story:
      "After a lapsed lease two deliveries of one message have read the same log. The first creates a background step and dies before it sends the step’s message. The second is refused. If it acknowledges, nobody knows that the step has no message.",
    now: "The refused delivery asks for the message once more. That delivery is not the first one of its message, so it sends again whatever may not have been sent.",
    shown: { model: "dies-owing-a-send-gated", without: "redeliver-on-refusal" }
  },
  {
    id: "EDGE-04",
    title: "A crash between the commit and the send",
    story:
      "A delivery commits the creation of a background step, and its process dies before the message for the step is sent. The log says that there is a step; the queue knows nothing of it.",
    now: "The queue delivers the run’s message again, and a delivery that is not its message’s first sends the messages of steps that have not started. A key makes a second copy harmless.",
    shown: { model: "crash-before-dispatch-gated", without: "re-send" }
  },
  {
    id: "EDGE-05",
    title: "The creator’s redelivery is swallowed",
    story:
      "The delivery that created a step dies owing its message. Before the redelivery comes, a wake takes the run’s key, and the redelivery is coalesced into it. A rule that lets only the creator’s own message repay the debt now never fires.",
    now: "Any delivery that is counted above one repays, whichever message it is of. A re-run after coalescing is counted so.",
    shown: { model: "queue-coalescing", without: "re-send-by-anybody" }
  },
  {
    id: "EDGE-07",
    title: "A new sleep whose creator is swallowed",
    story:
      "A delivery records that the run sleeps, and dies before it sends the timer. Its redelivery is coalesced into a wake that has nothing to do with the sleep and sees no reason to arm a timer for something that is an hour away.",
    now: "The timer goes out before the sleep is recorded. If the record then fails, the timer finds nothing to do, which is harmless.",
    shown: { model: "sleep-created-by-a-crash-coalescing", without: "timer-before-creation" }
  },
  {
    id: "EDGE-08",
    title: "A timer’s redelivery is swallowed",
    story:
      "Several sleeps form a chain: whoever completes one arms the timer of the next. A timer’s delivery completes its sleep and dies before it arms the next. Its redelivery is coalesced into somebody who owns no part of the chain.",
    now: "The next timer is sent before the completion commits, also by the timer whose own sleep it is.",
    shown: { model: "two-sleeps-coalescing", without: "own-timer-sends-next-first" }
  },
  {
    id: "EDGE-09",
    title: "A restart that loses the queue",
    story:
      "The queue lives in memory, and the process restarts. Messages and timers that were waiting are gone. The message that the restart sends for each run is a first delivery, which as a rule sends nothing again.",
    now: "The restart marks its message. A delivery of a marked message arms every open chain and sends every open step again.",
    shown: { model: "queue-restart", without: "recovery-is-marked" }
  },
  {
    id: "EDGE-10",
    title: "The wake after an outcome is lost",
    story:
      "A background step records its outcome, and the send that should wake the run fails. The step’s message comes again, its delivery finds that the step has ended, and acknowledges. The run waits for an outcome that is in its log.",
    now: "A delivery that finds its step ended sends the wake again before it acknowledges. One wake too many costs a read.",
    shown: { model: "lost-completion-wake-gated", without: "terminal-wake" }
  },
  {
    id: "EDGE-11",
    title: "At most once, across a crash",
    story:
      "A step must never run twice. Its start is recorded, its body runs, and the process dies. The next delivery sees a step that was started and has no outcome, and would run the body again as its second attempt.",
    now: "An attempt beyond what the step allows records a failure and runs nothing.",
    shown: { model: "at-most-once-background-gated", without: "attempt-limit" }
  },
  {
    id: "EDGE-12",
    title: "A body that runs before a start that is refused",
    story:
      "To save a round trip, a background step’s body may begin while its start is still on the way. The start may be refused: the run was cancelled, or there is too much load. By then the body has run.",
    now: "By default the body waits for its start. The faster way is a choice, and only for steps that may be tried again.",
    shown: { model: "background-start", without: "background-body-awaits-start" }
  },
  {
    id: "EDGE-13",
    title: "One delivery for each wake",
    story:
      "Where a queue holds messages of a run back and does not merge them, a fan-out of many background steps is answered by as many wakes, and each is a delivery of its own, one after the other. Nothing goes wrong; it is only slow.",
    now: "A delivery that has read everything answers such a wake with a single read. The Worlds of this project coalesce.",
    unshown: { why: "It is a matter of cost: every property holds.", model: "fan-out-gated" }
  },
  {
    id: "EDGE-14",
    title: "A timer that is swallowed when it comes due",
    story:
      "A wake holds the run just when the timer of a chain comes due, and the timer is coalesced into it. The holder completes the sleep. If only a sleep’s own timer arms the next one, nobody does now.",
    now: "Whoever commits the completion of a sleep owns its chain, and arms what is next.",
    shown: { model: "two-sleeps-gated", without: "completer-owns-chain" }
  },
  {
    id: "EDGE-15",
    title: "A start message that is renewed with its input",
    story:
      "A run’s first message is handed on for hours, and near its expiry a new message takes its place. A plain copy carries the run’s input and is delivered for the first time, so its delivery takes the run for a new one, and bodies run again.",
    now: "What takes its place is a continuation without the input. Its delivery reads the log.",
    shown: { model: "rotation-documented", without: "continuation-without-input" }
  },
  {
    id: "EDGE-16",
    title: "Timers that multiply",
    story:
      "Many branches sleep for a moment, and each outcome wakes the run. If every delivery arms all sleeps that are nearly due, the first arms one timer, the second two, and so on: their number grows with the square.",
    now: "A first delivery arms nothing for being nearly due, and what re-runs arm carries a key for each second.",
    shown: { model: "timers-in-a-fan-out-gated", without: "near-due-gate" }
  },
  {
    id: "EDGE-17",
    title: "A second message beside a job that is at work",
    story:
      "A step’s job is locked while its body runs. A re-send under the same key takes the key from the locked job and becomes a job of its own. It is delivered for the first time, reads no log, and the body runs twice.",
    now: "A job keeps its key for as long as it is locked, and a re-send beside it adds nothing.",
    shown: { model: "step-key-life", without: "locked-job-keeps-its-key" }
  },
  {
    id: "EDGE-18",
    title: "Two sleeps at once",
    story:
      "Two branches sleep side by side, one for an hour and one for two. One timer stands for the earlier. When it completes that sleep and feels responsible for no other, the later one has no timer at all.",
    now: "Who completes one sleep of a chain arms the earliest of what is left, in each chain that it owns.",
    shown: { model: "three-sleeps-gated", without: "completer-owns-chain" }
  },
  {
    id: "EDGE-19",
    title: "Bodies that run again after a stop",
    story:
      "A delivery runs ahead of its writes: it hands on outcomes that are not recorded yet, and starts what follows. One of the writes is refused, and the delivery starts over from the log, where those starts are not.",
    now: "How far it may run ahead is bounded, so a stop costs at most so many bodies; a step that must not run twice never starts early.",
    shown: { model: "runahead-chain", without: "run-ahead-depth" }
  },
  {
    id: "EDGE-20",
    title: "A replay that does not fit its log",
    story:
      "A replay asks for something that the log does not have at that place. It may be a passing mistake in what the process remembers, or the workflow may truly have changed. To fail the run at once would end many that are sound.",
    now: "The delivery throws away its machine, reads the log again, and replays from the start a few times before it fails the run.",
    shown: { model: "runahead-divergence", without: "fresh-vm-on-divergence" }
  },
  {
    id: "EDGE-21",
    title: "An inline step at the end of an invocation",
    story:
      "An invocation may last only so long. A short inline step that begins just before the end is cut off in its middle, and the time until the next delivery is lost.",
    now: "Within a margin before the deadline new steps are sent to the background, and a pass that begins after it hands the message on.",
    shown: { model: "deadline-steps", without: "inline-start-margin" }
  },
  {
    id: "EDGE-22",
    title: "A handoff while a stream is flushed",
    story:
      "A step returns while what it wrote to a stream is still on its way. The delivery hands its message on to itself, so that the writes may finish. If that counted as an attempt, a run that streams a lot would use up its attempts.",
    now: "A handoff is a delivery and not an attempt.",
    shown: { model: "queue-gated-local", without: "handoff-is-no-attempt" }
  },
  {
    id: "EDGE-23",
    title: "More re-runs than a delivery may have",
    story:
      "Wakes keep coming while a delivery holds the run, and each makes it run once more. There is a limit to that. A delivery that just gives up at the limit counts an attempt that was none, and in the end the run fails of being woken too often.",
    now: "At the limit the message is handed on, and its attempts stay as they are.",
    shown: { model: "queue-overflow", without: "overflow-is-handed-off" }
  },
  {
    id: "EDGE-24",
    title: "A request to wake up that is lost",
    story:
      "Somebody asks a sleeping run to wake up now. The request is a message and nothing else; it is coalesced into a delivery that does not look at what it says, and is gone.",
    now: "The documents accept this. Here the request is an event of the log, which nothing can swallow.",
    shown: { model: "wake-up-coalescing", without: "durable-wake-up" }
  },
  {
    id: "EDGE-25",
    title: "A chain of retries that outlives its message",
    story:
      "A run of the version before keeps asking for its message again, hour after hour. A message lives for a limited time and a limited number of deliveries. When it is used up, nothing continues the run.",
    now: "The run goes on with a new message, whose deliveries are counted from one.",
    shown: { model: "retry-chain", without: "continue-on-new-message" }
  },
  {
    id: "EDGE-26",
    title: "An older release after a rollback",
    story:
      "A deployment is rolled back, and the older release writes to a run that only the newer one understands. Its events have none of the fields that the fence rests on.",
    now: "The World refuses every write of an older release to such a run, before it sends the wake that would go with it.",
    shown: { model: "rollback-pinned", without: "refuse-older-writers" }
  },
  {
    id: "EDGE-27",
    title: "Attempts that start over",
    story:
      "A queue implements a delay by a new job, and a new job counts its attempts from one. A message that is put off again and again is never tried for the last time.",
    now: "What a delay goes on as carries the attempts that were made.",
    shown: { model: "queue-gated-postgres", without: "delay-carries-attempts" }
  },
  {
    id: "EDGE-28",
    title: "A re-send after the key is forgotten",
    story:
      "A retry’s message waits for more than a day. The queue remembers keys for a day only, so a re-send of it is taken for a new message, and the step has two.",
    now: "A message is sent again only for a time that is shorter than the queue’s memory, with a margin for clocks.",
    shown: { model: "step-key-moved-retry-long", without: "re-send-age-bound" }
  },
  {
    id: "EDGE-29",
    title: "A retry that is a day away",
    story:
      "A step asks to be tried again tomorrow, and the queue delays a message by a quarter of an hour at most. The message comes long before its time.",
    now: "A delivery that comes too early asks for its message again, and does not run the body. It costs a delivery each time.",
    shown: { model: "long-retry", without: "early-redelivery-asks-again" }
  },
  {
    id: "EDGE-30",
    title: "What the other engine does differently",
    story:
      "The original has a second engine to run workflow code in. It obeys the same rules, and does not run ahead, nor recover from a divergence in place, nor hand off at a deadline.",
    now: "This project has one engine. What the differences leave out is in the models of running ahead and of deadlines.",
    unshown: {
      why: "The engines differ in what they leave out, and nothing is a rule that could be switched off.",
      model: "runahead-chain"
    }
  }
]
