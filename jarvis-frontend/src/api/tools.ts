import type { Effect, ToolInfo } from 'protocol'
import { call } from './http.ts'
import { Remote, useRemote } from './remote.ts'

export const tools = new Remote('tools', () => call('GET /api/tools'), ['connect'])
export const useTools = (): ToolInfo[] | undefined => useRemote(tools)?.items

/** The first known tool with an effect that has all properties of `wanted`. */
export const toolFor = (known: readonly ToolInfo[], wanted: Effect): ToolInfo | undefined =>
  known.find(({ effects = [] }) =>
    effects.some((effect) => Object.entries(wanted).every(([key, value]) => effect[key as keyof Effect] === value)),
  )

export const readCalls = () => call('GET /api/tools/calls')

/** Asks for the verdict that a call would get. Runs nothing. */
export const classify = (name: string, input: Record<string, unknown>) =>
  call('POST /api/tools/:name/classify', { params: { name }, body: { input } })
