import { type ParseArgsConfig, parseArgs } from 'node:util'
import { JarvisError } from 'protocol'

/** Parsed arguments of a command: the values of its options, and the other words. */
export type Input<Values = Record<never, never>> = { values: Values; positionals: string[] }

/** Parses arguments. @throws JarvisError `invalid_request` naming an unknown option */
export function readOptions<O extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: O) {
  try {
    return parseArgs({ args, allowPositionals: true, options })
  } catch (cause) {
    const [, unknown] = /^Unknown option '([^']*)'/.exec(String((cause as Error).message)) ?? []
    const known = Object.keys(options).map((name) => `--${name}`)
    const problem =
      unknown === undefined ? (cause as Error).message : `There is no ${unknown}; there are ${known.join(', ')}.`
    throw new JarvisError('invalid_request', problem, { cause })
  }
}

const unitMs = { h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Parses `12h`, `30d` or `8w` to ms. @throws JarvisError `invalid_request` */
export function durationMs(option: string, text: string): number {
  const [, count, unit] = /^([1-9]\d{0,3})([hdw])$/.exec(text) ?? []
  if (count === undefined)
    throw new JarvisError('invalid_request', `${option} takes hours, days or weeks, for example 12h, 30d, 8w.`)
  return Number(count) * unitMs[unit as keyof typeof unitMs]
}

/** Time to wait for a person if the command line names none, ms. */
export const usualWaitMs = 10 * 60_000

const shortUnitMs = { s: 1_000, m: 60_000, h: 3_600_000 }

/** Parses `30s`, `10m` or `2h` to ms. @throws JarvisError `invalid_request` */
export function shortMs(option: string, text: string): number {
  const [, count, unit] = /^(\d{1,4})([smh])$/.exec(text) ?? []
  if (count === undefined)
    throw new JarvisError('invalid_request', `${option} takes seconds, minutes or hours, for example 30s, 10m, 2h.`)
  return Number(count) * shortUnitMs[unit as keyof typeof shortUnitMs]
}
