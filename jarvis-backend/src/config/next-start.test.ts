import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { nextStart } from './next-start.ts'

const cluster = {
  PVE_URL: 'https://pve.lan',
  PVE_TOKEN_ID: 'jarvis@pve!jarvis',
  PVE_TOKEN_SECRET: 'secret-0123',
  JARVIS_NODES: 'pve=10.0.0.1',
}
const address = 'https://pve.lan:8006'

test.each([
  ['nothing was saved', cluster, cluster, undefined],
  ['something else was', cluster, { ...cluster, CHAT_MAX_LOOP: '3' }, undefined],
  [
    'a first cluster',
    { JARVIS_NODES: cluster.JARVIS_NODES },
    cluster,
    { urls: [address], hasNewSsh: false, isAnotherCluster: true },
  ],
  [
    'another token',
    cluster,
    { ...cluster, PVE_TOKEN_SECRET: 'secret-4567' },
    { urls: [address], hasNewSsh: false, isAnotherCluster: false },
  ],
  [
    'the demo again',
    cluster,
    { JARVIS_NODES: cluster.JARVIS_NODES },
    { urls: [], hasNewSsh: false, isAnotherCluster: true },
  ],
  ['a key', cluster, { ...cluster, SSH_KEY_PATH: '/k' }, { hasNewSsh: true, isAnotherCluster: false }],
  [
    'a node’s MAC',
    cluster,
    { ...cluster, JARVIS_NODES: 'pve=10.0.0.1@aa:bb:cc:dd:ee:01' },
    { hasNewSsh: true, isAnotherCluster: false },
  ],
])('%s: what counts from the next start is told', (_what, running, next, told) => {
  expect(nextStart(readConfig(running), readConfig(next))).toEqual(told)
})
