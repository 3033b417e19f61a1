import { afterAll, beforeAll, expect, vi } from 'vitest'
import { sharedBrowserState } from './shared-browser.ts'

/** Resources that hold a port, a process or a file, and would outlive their test. */
const kept = ['TCPServerWrap', 'ProcessWrap', 'FSEventWrap', 'StatWatcher', 'MessagePort', 'UDPWrap']
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'exit', 'uncaughtException', 'unhandledRejection', 'warning'] as const
/** The test of this file has files that must fail, and sets a shorter time. */
const patience = { timeout: Number(process.env.LEFTOVERS_MS ?? 20_000), interval: 20 }

/** All that one file of tests could leave behind for the next one, which runs in the same process. */
function state() {
  const resources = process.getActiveResourcesInfo()
  const { isRunning, contexts } = sharedBrowserState()
  // The shared browser stays: one process, and a listener each for the exit and the three signals that end the worker.
  const ofBrowser = (name: string) =>
    isRunning && ['ProcessWrap', 'SIGTERM', 'SIGINT', 'SIGHUP', 'exit'].includes(name) ? 1 : 0
  return {
    contexts,
    env: { ...process.env },
    cwd: process.cwd(),
    globals: Object.getOwnPropertyNames(globalThis)
      .filter((name) => !name.startsWith('__'))
      .sort(),
    listeners: Object.fromEntries(signals.map((name) => [name, process.listenerCount(name) - ofBrowser(name)])),
    resources: Object.fromEntries(
      kept.map((name) => [name, resources.filter((one) => one === name).length - ofBrowser(name)]),
    ),
  }
}

import { readFileSync as __r, appendFileSync as __a } from 'node:fs'
const __cpu = () => { const f = __r('/proc/self/stat','utf8').split(') ')[1].split(' '); return [Number(f[11])+Number(f[12]), Number(f[13])+Number(f[14])] }
let __c: number[]
let __t = 0
beforeAll(() => { __c = __cpu(); __t = Date.now() })
afterAll(() => { const d = __cpu(); __a('/tmp/cpu.log', `${((d[0]-__c[0])/100).toFixed(1)} ${((d[1]-__c[1])/100).toFixed(1)} ${((Date.now()-__t)/1000).toFixed(1)} ${expect.getState().testPath}\n`) })
let before: ReturnType<typeof state>
beforeAll(() => {
  before = state()
})
/** Counts the resources. A resource that is gone meanwhile belonged to another file: a port that was let go of late. */
function stateNow() {
  const now = state()
  const resources = Object.entries(before.resources).map(([name, count]) => [
    name,
    Math.max(count, now.resources[name] ?? 0),
  ])
  return { ...now, resources: Object.fromEntries(resources) as typeof now.resources }
}
// A port that was closed just now is let go of a moment later.
afterAll(() => vi.waitFor(() => expect(stateNow()).toEqual(before), patience))
