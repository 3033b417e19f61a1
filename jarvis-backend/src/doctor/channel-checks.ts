import type { DoctorCheck } from 'protocol'
import { ok, warn } from './check.ts'

/** Checks the channels that are set up: one line each, with the fault that keeps a channel from working. */
export const channelChecks = (channels: readonly { name: string; problem?: string }[]): DoctorCheck[] =>
  channels.map(({ name, problem }) =>
    problem === undefined
      ? ok('Channels', `${name} is set up, and nothing stands in its way.`)
      : warn('Channels', `${name}: ${problem.replace(/\.$/, '')}.`, 'Settings → Channels says more, and sends a test.'),
  )
