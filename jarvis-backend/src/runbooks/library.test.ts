import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { toolFacts } from '../plans/tool-facts.ts'
import { createCatalog } from '../tools/catalog.ts'
import { houseTools } from '../tools/house.ts'
import type { Tool } from '../tools/tool.ts'
import { createWorkspace } from '../workspace/files.ts'
import { type AlertFacts, RunbookLibrary } from './library.ts'
import { shippedRunbooks } from './shipped/index.ts'

function shippedLibrary() {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-runbooks-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const kept = new Map<string, string>()
  const library = new RunbookLibrary({
    files: createWorkspace(dir),
    tools: toolFacts(createCatalog(houseTools as unknown as Tool[]), ({ tier }) => tier),
    shipped: shippedRunbooks,
    settings: { get: (key) => kept.get(key), set: (key, value) => void kept.set(key, value) },
    lastRun: () => undefined,
    record: (_, work) => work(),
    changed() {},
    report: (error) => expect.fail(String(error)),
  })
  library.ship()
  return library
}

test.each<[check: string, alert: AlertFacts, offered: [name: string, inputs: object][]]>([
  ['node-heat', { object: { id: 'node/pve', node: 'pve' } }, [['node-hot', { node: 'pve' }]]],
  ['agent-silent', { object: { id: 'vm/101', vmid: 101 } }, [['guest-unresponsive', { vmid: 101 }]]],
  ['storage-full', { object: { id: 'storage/pve/local' } }, [['storage-filling', { storage: 'local' }]]],
  [
    'replication',
    { object: { id: 'job/1' }, inputs: { job: '100-0', node: 'pve' } },
    [['replication', { job: '100-0', node: 'pve' }]],
  ],
  // A disk is not told by its node alone.
  ['disk-smart', { object: { id: 'disk/pve/sda', node: 'pve' } }, []],
  ['mine', { object: { id: 'site' }, runbooks: ['restore-drill', 'gone'] }, [['restore-drill', {}]]],
  ['nothing', { object: { id: 'site' } }, []],
])('%s of %j offers %j', (check, alert, offered) => {
  expect(
    shippedLibrary()
      .offers(check, alert)
      .map(({ name, inputs }) => [name, inputs]),
  ).toEqual(offered)
})
