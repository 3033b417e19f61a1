import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type FakeContainer = {
  id: string
  name: string
  image: string
  state: 'running' | 'exited' | 'paused'
  env: string[]
  labels: Record<string, string>
  logs: [stream: 1 | 2, text: string][]
  isTty?: boolean
}

/** A chunk of a stream as Docker sends it: the stream, three zeros, the length, the bytes. */
export function frame(stream: number, text: string): Buffer {
  const bytes = Buffer.from(text)
  const head = Buffer.alloc(8)
  head[0] = stream
  head.writeUInt32BE(bytes.length, 4)
  return Buffer.concat([head, bytes])
}

/**
 * A Docker Engine on a UNIX socket, with its forms and refusals, which writes every request down. A request for any other path is a 404 as
 * Docker answers it.
 */
export async function serveDocker(containers: FakeContainer[]) {
  const folder = mkdtempSync(join(tmpdir(), 'jarvis-docker-'))
  const socket = join(folder, 'docker.sock')
  const taken: string[] = []
  const execs = new Map<string, { command: string[]; exitCode?: number }>()
  let onAct: 'work' | 'hang up' = 'work'
  const find = (key: string) =>
    containers.find(({ id, name }) => name === key || (key.length >= 4 && id.startsWith(key)))

  const json = (response: ServerResponse, status: number, value: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json', 'api-version': '1.51' }).end(JSON.stringify(value))
  }
  const no = (response: ServerResponse, key: string) => json(response, 404, { message: `No such container: ${key}` })

  const listed = ({ id, name, image, state, labels }: FakeContainer) => ({
    Id: id,
    Names: [`/${name}`],
    Image: image,
    ImageID: 'sha256:0',
    Command: 'run',
    Created: 1_700_000_000,
    Labels: labels,
    State: state,
    Status: state === 'running' ? 'Up 3 hours' : 'Exited (0) 2 days ago',
    Ports: [{ IP: '0.0.0.0', PrivatePort: 80, PublicPort: 8080, Type: 'tcp' }],
  })
  const inspected = ({ id, name, image, state, env, labels, isTty = false }: FakeContainer) => ({
    Id: id,
    Name: `/${name}`,
    Created: '2026-01-01T00:00:00Z',
    RestartCount: 2,
    Image: 'sha256:0',
    State: {
      Status: state,
      Running: state === 'running',
      StartedAt: '2026-11-01T00:00:00Z',
      FinishedAt: '0001-01-01T00:00:00Z',
      ExitCode: 0,
      OOMKilled: false,
      Error: '',
    },
    Config: { Hostname: id.slice(0, 12), Image: image, Env: env, Labels: labels, Tty: isTty, Cmd: ['run'] },
    HostConfig: {
      Privileged: false,
      NetworkMode: 'bridge',
      RestartPolicy: { Name: 'unless-stopped', MaximumRetryCount: 0 },
    },
    Mounts: [{ Type: 'bind', Source: '/srv/media', Destination: '/media', Mode: 'ro', RW: false }],
  })

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body =
      chunks.length === 0 ? undefined : (JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>)
    const { method = '', url = '' } = request
    taken.push(`${method} ${url}`)
    const path = url.split('?')[0] ?? ''
    if (method === 'GET' && url === '/containers/json?all=1') return json(response, 200, containers.map(listed))
    const [, execId, execPart] = /^\/exec\/([0-9a-f]+)\/(start|json)$/.exec(path) ?? []
    const exec = execId === undefined ? undefined : execs.get(execId)
    if (exec !== undefined && method === 'POST' && execPart === 'start') {
      if (body?.Detach !== false || body.Tty !== false) return json(response, 400, { message: 'strict' })
      exec.exitCode = exec.command[0] === 'false' ? 1 : 0
      response.writeHead(200, { 'content-type': 'application/vnd.docker.multiplexed-stream' })
      response.write(frame(1, `ran ${exec.command.join(' ')}\n`))
      response.end(frame(2, 'a warning\n'))
      return
    }
    if (exec !== undefined && method === 'GET' && execPart === 'json')
      return json(response, 200, { ID: execId, Running: exec.exitCode === undefined, ExitCode: exec.exitCode ?? null })
    const [, key = '', part] = /^\/containers\/([^/]+)\/(json|logs|stats|start|stop|restart|exec)$/.exec(path) ?? []
    if (part === undefined) return json(response, 404, { message: 'page not found' })
    const container = find(key)
    if (container === undefined) return no(response, key)
    if (method === 'GET' && part === 'json') return json(response, 200, inspected(container))
    if (method === 'GET' && part === 'stats') {
      const cpu = (total: number, system: number) => ({
        cpu_usage: { total_usage: total },
        system_cpu_usage: system,
        online_cpus: 4,
      })
      return json(response, 200, {
        cpu_stats: cpu(1_500, 20_000),
        precpu_stats: cpu(500, 10_000),
        pids_stats: { current: 7 },
        memory_stats: { usage: 300 * 1024 ** 2, limit: 8 * 1024 ** 3, stats: { inactive_file: 100 * 1024 ** 2 } },
      })
    }
    if (method === 'GET' && part === 'logs') {
      if (container.state !== 'running' && container.logs.length === 0)
        return json(response, 500, { message: 'no logs' })
      response.writeHead(200, { 'content-type': 'application/vnd.docker.multiplexed-stream' })
      for (const [stream, text] of container.logs) response.write(container.isTty ? text : frame(stream, text))
      response.end()
      return
    }
    if (method !== 'POST') return json(response, 405, { message: 'method not allowed' })
    if (part === 'exec') {
      if (container.state !== 'running')
        return json(response, 409, { message: `Container ${container.id} is not running` })
      const { Cmd, Privileged, AttachStdin } = body ?? {}
      if (!Array.isArray(Cmd) || Privileged !== false || AttachStdin !== false)
        return json(response, 400, { message: 'strict' })
      const id = `e${execs.size}`.padEnd(8, '0')
      execs.set(id, { command: Cmd as string[] })
      return json(response, 201, { Id: id })
    }
    if (onAct === 'hang up') {
      response.socket?.destroy()
      return
    }
    const isRunning = container.state === 'running'
    if ((part === 'start' && isRunning) || (part === 'stop' && !isRunning)) {
      response.writeHead(304).end()
      return
    }
    container.state = part === 'stop' ? 'exited' : 'running'
    response.writeHead(204).end()
  }

  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((done) => server.listen(socket, done))
  return {
    socket,
    taken,
    containers,
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
      rmSync(folder, { recursive: true, force: true })
    },
    /** Replaces the effect of changes from now on. */
    onAct(next: typeof onAct) {
      onAct = next
    },
  }
}
