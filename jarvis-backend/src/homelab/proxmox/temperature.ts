import type { CallOptions, Shell, Temperature } from 'homelab-ports/ports'
import { JarvisError } from 'protocol'

/** True for a plausible temperature. Values outside this range come from a sensor that is broken or not connected. */
const plausible = (celsius: number) => celsius > 0 && celsius < 125

/** Preferred sensors, best first: the processor's, by vendor, then a disk's. If none is present, the hottest sensor is used. */
const preferred = [/^Package id \d+$/, /^Tdie$/, /^Tctl$/, /^CPU/i, /^Core \d+$/, /^Composite$/]

export class NoSensor extends JarvisError {
  constructor(node: string) {
    super('not_found', `${node} has no temperature sensor that can be read; lm-sensors may be missing.`)
  }
}

/** @throws NoSensor; the shell's errors */
export async function readTemperature(shell: Shell, node: string, options: CallOptions): Promise<Temperature> {
  const sensors = await shell.run(node, [['sensors', '-j']], options)
  // sensors may warn and exit with an error, and still print the values.
  const found = parseSensors(sensors.stdout)
  if (found !== undefined) return found
  const zone = await shell.run(node, [['cat', '/sys/class/thermal/thermal_zone0/temp']], options)
  const celsius = Number(zone.stdout.trim()) / 1000
  if (zone.exitCode === 0 && zone.stdout.trim() !== '' && plausible(celsius)) {
    const reading = { sensor: 'thermal_zone0', celsius: rounded(celsius) }
    return { ...reading, all: [reading] }
  }
  throw new NoSensor(node)
}

/** Parses the output of `sensors -j`. @returns undefined if it has no plausible temperature */
export function parseSensors(text: string): Temperature | undefined {
  const chips = parsed(text)
  const all: { sensor: string; celsius: number; label: string }[] = []
  const labels = new Map<string, number>()
  for (const [chip, features] of entriesOf(chips)) {
    for (const [label, values] of entriesOf(features)) {
      for (const [name, value] of entriesOf(values)) {
        if (!/^temp\d+_input$/.test(name) || typeof value !== 'number' || !plausible(value)) continue
        const count = (labels.get(label) ?? 0) + 1
        labels.set(label, count)
        all.push({ sensor: count === 1 ? label : `${label} (${chip})`, celsius: rounded(value), label })
      }
    }
  }
  const hottest = (readings: typeof all) => readings.reduce((a, b) => (b.celsius > a.celsius ? b : a))
  const best = preferred
    .map((pattern) => all.filter(({ label }) => pattern.test(label)))
    .find(({ length }) => length > 0)
  if (all.length === 0) return undefined
  const { sensor, celsius } = hottest(best ?? all)
  return { sensor, celsius, all: all.map(({ label: _, ...reading }) => reading) }
}

/** Parses JSON leniently, because some versions print lines before the object, or numbers that JSON does not allow. */
function parsed(text: string): unknown {
  const start = text.indexOf('{')
  if (start < 0) return undefined
  try {
    return JSON.parse(
      text
        .slice(start)
        .replace(/:\s*-?nan\b/gi, ': null')
        .replace(/,(\s*[}\]])/g, '$1'),
    )
  } catch {
    return undefined
  }
}

const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : []
const rounded = (celsius: number) => Math.round(celsius * 10) / 10
