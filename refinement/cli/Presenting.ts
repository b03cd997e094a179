/**
 * What is shown when the command line is wrong: what is wrong with it, and how to ask for help. The whole help would push
 * that off the screen.
 *
 * @module
 */
import { Console, Effect } from "effect"
import { CliOutput, TerminalCapabilities } from "effect/cli"

/** Presents what the default one does, without the help where nobody has asked for it. */
export const presenter: CliOutput.Presenter = {
  present: Effect.fnUntraced(function* (event) {
    if (event._tag !== "InvalidInvocation") return yield* CliOutput.defaultPresenter.present(event)
    const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
    const { formatErrors } = CliOutput.defaultFormatter({ colors: canColor })
    yield* Console.error(
      `${formatErrors(event.errors)}\n\nUsage: ${event.helpDoc.usage}\n\`${event.commandPath.join(" ")} --help\` says more.`
    )
  })
}
