import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFakeProxmox } from 'fake-proxmox/server'
import type { JournalEntry, Page } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { folder } from './support/data-dir.ts'
import { npmStart } from './support/npm-start.ts'
import { startJarvis } from './support/start-jarvis.ts'

test('npm start: an operator’s restart takes up the saved cluster, what waits for the same one survives the next', async () => {
  const { urls, tokenId, tokenSecret, fingerprints, stop } = await startFakeProxmox({
    denyDelayMs: 10,
    proxyDelayMs: 10,
  })
  onTestFinished(stop)
  const dataDir = folder()
  const jarvis = await npmStart(dataDir)
  expect(await jarvis.status()).toMatchObject({ isDemoCluster: true })
  await jarvis.ask('/stop_vm vmid=103')

  expect((await jarvis.call('POST', '/api/setup/save', { urls, tokenId, tokenSecret, fingerprints })).status).toBe(200)
  expect((await jarvis.status()).nextStart).toEqual({ urls, hasNewSsh: false, isAnotherCluster: true })
  const restart = async () => {
    const up = jarvis.isUp()
    const answer = await jarvis.call('POST', '/api/restart')
    if (answer.status === 202) await up
    else up.catch(() => {})
    return answer
  }
  expect(await restart()).toEqual({ status: 202, body: { isRestarting: true } })
  expect(await jarvis.status()).toMatchObject({ isDemoCluster: false })
  expect((await jarvis.status()).nextStart).toBeUndefined()
  await expect.poll(() => jarvis.pending()).toEqual([])
  await expect.poll(async () => (await jarvis.status()).parts.find(({ name }) => name === 'Cluster')?.health).toBe('ok')

  const waiting = await jarvis.ask('/stop_vm vmid=100')
  writeFileSync(join(dataDir, '.env'), 'SSH_USER=-x\n')
  expect(await jarvis.status()).toMatchObject({ cannotStart: expect.stringMatching(/^SSH_USER must/) })
  expect(await restart()).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringMatching(/^Nothing was restarted: .*SSH_USER must/) } },
  })
  writeFileSync(join(dataDir, '.env'), 'SSH_USER=ops\n')
  expect((await jarvis.status()).nextStart).toEqual({ hasNewSsh: true, isAnotherCluster: false })
  expect((await restart()).status).toBe(202)
  expect(await jarvis.pending()).toEqual([waiting])
  expect((await jarvis.call<{ ssh: object }>('GET', '/api/settings')).body.ssh).toMatchObject({ user: 'ops' })
  const { body } = await jarvis.call<Page<JournalEntry>>('GET', '/api/journal?kind=setup')
  expect(body.items.map((entry) => entry.body)).toMatchObject([
    { change: 'restarted', by: 'operator' },
    { change: 'restarted', by: 'operator' },
    { change: 'saved' },
  ])

  jarvis.child.kill('SIGTERM')
  expect(await jarvis.exited).toEqual([0, null])
}, 60_000)

test('a policy that would stop the start prevents the restart; a viewer may not ask for one', async () => {
  const post = async ({ rest }: Awaited<ReturnType<typeof startJarvis>>, role: 'operator' | 'viewer' = 'operator') => {
    const response = await rest('/api/restart', { method: 'POST', role })
    return [response.status, await response.text()]
  }
  let restarts = 0
  const dataDir = folder()
  const kept = await startJarvis({ dataDir, restart: () => restarts++ })
  expect((await post(kept, 'viewer'))[0]).toBe(403)
  writeFileSync(join(dataDir, 'policy.yaml'), 'version: two\n')
  expect(await post(kept)).toEqual([409, expect.stringContaining('The policy cannot be used')])
  rmSync(join(dataDir, 'policy.yaml'))
  const moved = await startJarvis({ env: { PORT: '4817' }, nextEnv: { PORT: '4818' }, restart: () => restarts++ })
  expect(await post(moved)).toEqual([409, expect.stringContaining('PORT')])
  expect(restarts).toBe(0)
  expect(await (await kept.rest('/api/journal?kind=setup')).json()).toEqual({ items: [] })
})
