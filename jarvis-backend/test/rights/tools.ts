import { houseTools } from '../../src/tools/house.ts'
import type { CallOf } from '../support/scripted-model.ts'
import { examplesOf } from '../support/usual-calls.ts'

const offered = houseTools.filter(({ example }) => example !== undefined)

/**
 * The example of every tool that is offered while the workbench is off, and those of the web. A call that leads to other calls is judged by
 * them, so it has no arguments here and is refused as a mistake.
 */
export const everyCall: readonly CallOf[] = examplesOf(
  offered.map((tool) => (tool.leadsTo === undefined ? tool : { ...tool, example: {} })),
)

/** The tools that a viewer may ask for: those that only look. */
export const looks = offered.filter(({ tier }) => tier === 'green').map(({ name }) => name)

/**
 * The tools that a member may ask for whose role names one container that none of the calls is about: a tool that shows the member's part of a
 * list, and one about the conversation alone. No address is asked of the web.
 */
export const narrowed = offered
  .filter(({ tier, shows, group }) => tier === 'green' && typeof shows === 'string' && group?.name !== 'workbench')
  .map(({ name }) => name)

/** Calls about the member's own container. */
export const own: readonly [...CallOf, verdict: string][] = [
  ['restart_container', { vmid: 130 }, 'asks'],
  ['get_guest_config', { vmid: 130 }, 'runs'],
  ['list_snapshots', { vmid: 130 }, 'runs'],
  ['stop_container', { vmid: 130 }, 'black'],
  ['take_snapshot', { vmid: 130, name: 'now' }, 'black'],
  ['run_in_guest', { vmid: 130, command: ['hostname'] }, 'black'],
]
