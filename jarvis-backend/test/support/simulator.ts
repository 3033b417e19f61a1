import { createSimulator as createBare, type Simulator } from 'fake-proxmox'
import { withOwnRules } from '../../src/homelab/demo.ts'

/** The demo's cluster as JARVIS opens it, with `controls` for the test. */
export const createSimulator = (options: Parameters<typeof createBare>[0]): Simulator =>
  withOwnRules(createBare(options))
