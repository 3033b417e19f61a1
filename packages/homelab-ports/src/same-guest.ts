import { plainName } from 'node-kit/words'
import { type Guest, JarvisError, type Task } from 'protocol'
import type { ExpectedGuest } from './ports.ts'

/** @throws JarvisError `conflict` if the guest is not the one for which the gate judged the call */
export function mustBeAsExpected(
  vmid: number,
  expected: ExpectedGuest | undefined,
  { node, type, name }: Pick<Guest, 'node' | 'type' | 'name'>,
) {
  if (expected === undefined) return
  if (node === expected.node && type === expected.type && name === expected.name) return
  const said = (what: ExpectedGuest) => `${what.type} ${plainName(what.name)} on ${plainName(what.node)}`
  throw new JarvisError(
    'conflict',
    `${vmid} is ${said({ node, type, name })} now, not ${said(expected)}. Nothing was done.`,
  )
}

const remakes = /^(?:qm|vz)(?:create|destroy|restore|rollback|clone|template)$/

/** Returns the start of the newest task that may have put another guest under this vmid, Unix ms; undefined if none is known. */
export function madeAtIn(
  vmid: number,
  tasks: readonly Pick<Task, 'vmid' | 'type' | 'startedAt'>[],
): number | undefined {
  const starts = tasks.filter((task) => task.vmid === vmid && remakes.test(task.type)).map(({ startedAt }) => startedAt)
  return starts.length === 0 ? undefined : Math.max(...starts)
}
