/**
 * Where spans, metrics and log lines go: to the collector that the environment names, and nowhere when it names none.
 *
 * The variables are OpenTelemetry's own (`OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_SERVICE_NAME`, `OTEL_TRACES_EXPORTER` and
 * so on). What is exported has no payloads: arguments, results and the payloads of hooks are in no attribute.
 *
 * @module
 */
import { Config, Effect, Layer } from "effect"

const endpoint = Config.option(Config.String("OTEL_EXPORTER_OTLP_ENDPOINT"))
const tracesEndpoint = Config.option(Config.String("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"))
const metricsEndpoint = Config.option(Config.String("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"))

/** Whether the environment names a collector. */
const isAsked = Effect.map(Config.all([endpoint, tracesEndpoint, metricsEndpoint]), (all) =>
  all.some((each) => each._tag === "Some" && each.value !== "")
)

const load = Effect.promise(async () => {
  // Loaded only when it is asked for: most processes export nothing.
  const [{ layerFromConfig }, serialization, { layer: fetching }] = await Promise.all([
    import("effect/observability/Otlp"),
    import("effect/observability/OtlpSerialization"),
    import("effect/http/FetchHttpClient")
  ])
  return layerFromConfig({ resource: { serviceName: "onewriter" } }).pipe(
    Layer.provide(serialization.layerJson),
    Layer.provide(fetching)
  )
})

/** The exporter of this process. What it has not sent yet when the process ends in order is sent then. */
export const exporting: Layer.Layer<never> = Layer.unwrap(
  Effect.flatMap(
    Effect.orElseSucceed(isAsked, () => false),
    (asked) =>
      asked
        ? Effect.map(load, (layer): Layer.Layer<never> => Layer.effectDiscard(Layer.build(layer)))
        : Effect.succeed(Layer.empty)
  )
)
