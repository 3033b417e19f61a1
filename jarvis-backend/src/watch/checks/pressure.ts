import type { PvePath } from 'homelab-ports/ports'
import { z } from 'zod'
import { figure, rowsOf } from '../../homelab/pve/answers.ts'
import type { CheckPorts } from '../check.ts'
import { over } from '../measure.ts'

/** Percent of the time in which all running programs waited for memory. */
const pressure = { look: 10, failed: 40, clear: 5 }
/** Minutes in a row for which the pressure must hold. */
export const longest = 5

const Row = z.object({ time: figure, pressurememoryfull: figure })

export const pressureLimit = () =>
  `All waits for memory ${pressure.look} % of the time for ${longest} min in the last hour, failed at ${pressure.failed} %, clears at ${pressure.clear} %.`
export const overPressure = (value: number) => over(value, pressure)

/** The greatest value that was held for `minutes` rows in a row; undefined if there are too few rows. */
export function heldFor(values: readonly number[], minutes: number): number | undefined {
  const held = values.slice(minutes - 1).map((_, at) => Math.min(...values.slice(at, at + minutes)))
  return held.length === 0 ? undefined : Math.max(...held)
}

/** Reads the memory pressure of the last hour that Proxmox recorded: percent for each minute, oldest first. @throws ApiError; the signal's reason */
export async function pressureOf(
  { api, signal }: Pick<CheckPorts, 'api' | 'signal'>,
  path: PvePath,
): Promise<number[]> {
  const { rows } = rowsOf(Row, await api.get([...path, 'rrddata'], { timeframe: 'hour', cf: 'AVERAGE' }, { signal }))
  return rows.flatMap(({ pressurememoryfull: value }) => value ?? [])
}
