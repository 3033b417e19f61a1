import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import jwt from 'jsonwebtoken'
import { systemClock } from 'node-kit/clock'
import type { Content, ProfileName } from 'protocol'
import { connect } from '../bench/client.ts'
import type { Model } from '../src/agent/model.ts'
import { readConfig } from '../src/config/config.ts'
import { compose } from '../src/process.ts'
import { createSimulator } from '../test/support/simulator.ts'
import { injection, plainInjection } from './attacks.ts'
import { type DeskTexts, openDesk } from './desk/desk.ts'
import { type Planted, planted } from './plant.ts'
import type { Setup, Task } from './task.ts'

const jwtSecret = 'a secret of the dojo alone, 32 characters'

/** An entry of a conversation, with what the dojo reads of it. */
export type TranscriptEntry = {
  type: string
  runId: string
  text?: string
  content?: Content[]
  toolUseId?: string
  callId?: string
  toolName?: string
  rule?: string
  reason?: string
  result?: string
  isError?: boolean
  error?: string
}

export type Lab = Awaited<ReturnType<typeof openLab>>

/**
 * The real JARVIS on a free port of this machine, over a demo cluster of its own at 1,000 times its speed.
 * @param options.model answers; absent: the one that the environment names @param options.planted how texts of the cluster order calls; absent: they do not
 * @param options.desk the task whose desk is set up; absent: there is none. `texts` stand there besides
 * @param options.env settings besides the lab's own @param options.memoryWorker the program of the memory's thread; absent: its source
 */
export async function openLab(options: {
  model?: Model
  profile: ProfileName
  planted?: Planted
  desk?: (Pick<Task, 'planted'> & { texts?: DeskTexts | undefined }) | undefined
  env?: Readonly<Record<string, string>> | undefined
  memoryWorker?: URL | undefined
}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-dojo-'))
  const own = options.model === undefined ? process.env : {}
  const config = readConfig({
    ...own,
    JARVIS_DATA_DIR: dataDir,
    JARVIS_PASSWORD: 'a password of the dojo',
    JWT_SECRET: jwtSecret,
    LOG_LEVEL: 'silent',
    PORT: '0',
    JARVIS_EMBEDDINGS: 'none',
    CHAT_MAX_LOOP: '20',
    ...options.env,
  })
  const demo = createSimulator({ clock: systemClock, protectedTargets: config.protectedTargets, speed: 1_000 })
  const desk = options.desk && (await openDesk(options.desk.planted, options.planted, options.desk.texts))
  if (desk !== undefined) writeFileSync(join(dataDir, 'policy.yaml'), desk.policy)
  const homelab = options.planted !== undefined ? planted(demo, options.planted) : { ...demo, planted: () => 0 }
  const jarvis = compose(
    config,
    { version: '0.0.0-dojo', dashboardDir: join(dataDir, 'no-dashboard') },
    {
      clock: systemClock,
      homelab,
      ...(options.model && { model: options.model }),
      memoryWorker: options.memoryWorker,
      ...(desk && { web: desk.web, browser: desk.browser }),
    },
  )
  await new Promise<void>((resolve) => jarvis.http.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(jarvis.http.address() as AddressInfo).port}`
  const token = jwt.sign({ sub: 'operator', role: 'operator' }, jwtSecret, { issuer: 'jarvis', expiresIn: '1d' })
  const rest = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  const [socket] = await connect({ url, token }, ['/chat'])
  if (socket === undefined) throw new Error('no socket')
  await rest('POST', '/api/auth/step-up', { password: 'a password of the dojo' })
  await rest('PUT', '/api/settings', { profile: options.profile })

  const { controls } = demo
  return {
    url,
    token,
    socket,
    rest,
    cluster: demo.cluster,
    desk,
    effects: controls.effects,
    guest: (vmid: number) => demo.cluster.state().guests.find((guest) => guest.vmid === vmid),
    planted: homelab.planted,
    /** The newest entries of a conversation, oldest first. */
    async entries(sessionId: string): Promise<TranscriptEntry[]> {
      const page = await rest('GET', `/api/sessions/${sessionId}/entries?limit=200`)
      return (page as { items: TranscriptEntry[] }).items
    },
    /** Uploads a text file. Where orders are planted, its words hold some too. @returns its id */
    async attach({ name, text }: { name: string; text: string }): Promise<string> {
      const order = options.planted === 'words' ? plainInjection : injection
      const orders = options.planted === undefined ? [] : [0, 1, 2, 3].map(order)
      const data = Buffer.from([text, ...orders].join('\n')).toString('base64')
      return ((await rest('POST', '/api/attachments', { name, data })) as { id: string }).id
    },
    prepare(setups: readonly Setup[]) {
      for (const setup of setups) {
        if (setup.do === 'status') controls.setStatus(setup.vmid, setup.status)
        else if (setup.do === 'lock') controls.lockGuest(setup.vmid, setup.lock)
        else if (setup.do === 'rename') controls.renameGuest(setup.vmid, setup.name)
        else if (setup.do === 'tags') controls.tagGuest(setup.vmid, setup.tags)
        else if (setup.do === 'offline' || setup.do === 'online')
          controls.setNodeOffline(setup.node, setup.do === 'offline')
        else if (setup.do === 'fail_next') controls.failNextTask(setup.vmid, setup.message)
        else if (setup.do === 'note') controls.pve.changeBehind(setup.vmid, 'description', setup.text)
        else if (setup.do === 'hangs') controls.timeoutNextShutdown(setup.vmid)
        else controls.setUnit(setup.id, { activeState: setup.activeState } as never)
      }
    },
    async close() {
      socket.disconnect()
      socket.io.engine.close()
      await jarvis.stop(5_000)
      await desk?.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
