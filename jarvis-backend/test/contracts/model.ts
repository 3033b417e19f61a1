import { type AddressInfo, createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Message, type Model, ModelError, type ModelRequest, type Turn } from '../../src/agent/model.ts'
import { deepestInput } from '../../src/lib/depth.ts'
import { dribbles, modelServer, type Play, refuses, stalls, streams, tears } from './model-server.ts'

export type WireCall = { id: string; name: string; json: string[] }

/** How one provider's wire looks: whole streams as lists of events. */
export type Dialect = {
  name: string
  keyName: string
  /** With the API key `secretKey`. */
  model(options: { baseUrl: string; idleTimeoutMs?: number }): Model
  says(deltas: readonly string[], stop?: 'cut' | 'refused'): string[]
  /** The first part of `says`, without what completes it. */
  begins(deltas: readonly string[]): string[]
  calls(calls: readonly WireCall[], stop?: 'cut'): string[]
  overloaded: string
  /** Events that are not as the protocol has them, each after what must stand before it. */
  unreadable: readonly (readonly string[])[]
  /** A failure among the events whose fields are of all the wrong types. */
  oddFailure: string
  error(message: string): string
  spent: Play
}

export const secretKey = 'sk-secret-0123456789'

export const asks = (text: string): Message => ({ role: 'user', results: [], text })
const tools = [
  { name: 'get_vms', description: 'Lists VMs.', inputSchema: { type: 'object' } },
  { name: 'stop_vm', description: 'Stops one.', inputSchema: { type: 'object' } },
]
export const request = (part: Partial<ModelRequest> = {}): ModelRequest => ({
  system: 'You are JARVIS.',
  messages: [asks('Hello')],
  tools,
  mayCallTools: true,
  ...part,
})

/** JSON of an object with `levels` more of objects and lists in it. */
const deep = (levels: number) => `{"a":${'['.repeat(levels - 1)}{}${']'.repeat(levels - 1)}}`

/** Everything said to the sink, in order. */
export const recorder = () => {
  const texts: string[] = []
  const thoughts: string[] = []
  return { texts, thoughts, text: (t: string) => void texts.push(t), thinking: (t: string) => void thoughts.push(t) }
}
const callsOf = (turn: Turn) => turn.content.flatMap((piece) => (piece.type === 'tool_call' ? [piece] : []))

/** The promises of the `Model` port, kept against a real server that plays tame and hostile streams. */
export function modelContract(dialect: Dialect) {
  describe(dialect.name, () => {
    let server: Awaited<ReturnType<typeof modelServer>>
    beforeEach(async () => {
      server = await modelServer()
    })
    afterEach(() => server[Symbol.asyncDispose]())

    const never = new AbortController().signal
    const model = (idleTimeoutMs?: number) =>
      dialect.model({ baseUrl: server.url, ...(idleTimeoutMs !== undefined && { idleTimeoutMs }) })
    const generate = async (
      plays: Play[],
      part: Partial<ModelRequest> = {},
      sink = recorder(),
      idleTimeoutMs = 60_000,
    ) => {
      server.plays.push(...plays)
      return model(idleTimeoutMs).generate(request(part), sink, never)
    }
    const failure = async (...args: Parameters<typeof generate>): Promise<ModelError> => {
      const error = await generate(...args).catch((reason) => reason)
      expect(error).toBeInstanceOf(ModelError)
      expect(JSON.stringify(error) + error.message).not.toContain(secretKey)
      return error
    }

    const words = ['Good ', 'evening', ', sir', ' 🛰️𝕏', ' – "fine"\n']
    test.each<[string, Play]>([
      ['one event at a time', streams(dialect.says(words))],
      ['all at once', streams([dialect.says(words).join('')])],
      ['one byte at a time', dribbles(dialect.says(words))],
      ['with CRLF', dribbles(dialect.says(words).map((event) => event.replaceAll('\n', '\r\n')))],
      ['with comments and empty deltas', streams([': hello\n\n', ...dialect.says(['', ...words, '']), ':\n\n'])],
    ])('streams each delta whole: %s', async (_, play) => {
      const sink = recorder()
      const turn = await generate([play], {}, sink)
      expect(sink.texts).toEqual(words)
      expect(turn.content).toEqual([{ type: 'text', text: words.join('') }])
      expect(turn.stopReason).toBe('end_turn')
      expect(turn.usage).toEqual({ inputTokens: 70, outputTokens: 12, cacheReadTokens: 30, cacheWriteTokens: 0 })
    })

    test('hands a delta on before the next one is sent', async () => {
      const [first = '', ...rest] = dialect.begins(['one', 'two'])
      const sink = recorder()
      let goOn = () => {}
      const said = new Promise<void>((resolve) => {
        goOn = resolve
      })
      const play: Play = async (response) => {
        response.writeHead(200)
        response.write([first, ...rest.slice(0, -1)].join(''))
        await said
        response.end(dialect.says([]).join(''))
      }
      server.plays.push(play)
      const turn = model().generate(request(), { ...sink, text: () => goOn() }, never)
      expect((await turn).content).toEqual([{ type: 'text', text: 'one' }])
    })

    test('an empty reply is an empty turn', async () => {
      expect((await generate([streams(dialect.says([]))])).content).toEqual([])
    })

    test('parallel calls keep their order and get ids of our own, even where theirs repeat', async () => {
      const turn = await generate([
        dribbles(
          dialect.calls([
            { id: 'call_1', name: 'stop_vm', json: ['{"vm', 'id": 1', '01}'] },
            { id: 'call_1', name: 'stop_vm', json: ['{"vmid":102}'] },
            { id: 'call_2', name: 'get_vms', json: ['', '{"node":"p', 've ☃"}'] },
          ]),
        ),
      ])
      const calls = callsOf(turn)
      expect(calls.map((call) => [call.toolName, call.toolInput])).toEqual([
        ['stop_vm', { vmid: 101 }],
        ['stop_vm', { vmid: 102 }],
        ['get_vms', { node: 'pve ☃' }],
      ])
      for (const call of calls) expect(call.toolUseId).toMatch(/^tu_[0-9a-z]{34}$/)
      expect(new Set(calls.map((call) => call.toolUseId)).size).toBe(3)
      expect(turn.stopReason).toBe('tool_use')
    })

    test.each([
      ['nothing', [''], {}, undefined],
      ['an empty object', ['{}'], {}, undefined],
      ['broken JSON', ['{"vmid": '], {}, 'not valid JSON'],
      ['a list', ['[101]'], {}, 'must be a JSON object'],
      ['null', ['null'], {}, undefined],
      ['encoded twice', ['"{\\"vmid\\":', '101}"'], { vmid: 101 }, undefined],
      ['a string', ['"101"'], {}, 'must be a JSON object'],
      ['nested as deep as may be', [deep(deepestInput)], JSON.parse(deep(deepestInput)), undefined],
      ['nested one level too deep', [deep(deepestInput + 1)], {}, 'nested more than 50 levels'],
      ['with an infinite number', ['{"a": [1e309]}'], {}, 'too large or no number'],
      ['nested beyond any stack', [deep(100_000)], {}, 'nested more than 50 levels'],
    ])('arguments that are %s', async (_, json, toolInput, wrong) => {
      const [call] = callsOf(await generate([streams(dialect.calls([{ id: 'a', name: 'get_vms', json }]))]))
      expect(call?.toolInput).toEqual(toolInput)
      if (wrong === undefined) expect(call).not.toHaveProperty('malformed')
      else expect(call?.malformed).toContain(wrong)
    })

    test.each([['{"vmid": 10'], ['']])('a call cut off by the token limit is dropped: %j', async (json) => {
      const whole = { id: 'a', name: 'stop_vm', json: ['{"vmid":101}'] }
      const cut = dialect.calls([whole, { id: 'b', name: 'stop_vm', json: [json] }], 'cut')
      const turn = await generate([streams(cut)])
      expect(callsOf(turn).map((call) => call.toolInput)).toEqual([{ vmid: 101 }])
      expect(turn.stopReason).toBe('max_tokens')
    })

    test('a text cut off by the token limit is kept', async () => {
      const turn = await generate([streams(dialect.says(['So'], 'cut'))])
      expect(turn).toMatchObject({ content: [{ type: 'text', text: 'So' }], stopReason: 'max_tokens' })
    })

    test('a refusal may be empty', async () => {
      expect(await generate([streams(dialect.says([], 'refused'))])).toMatchObject({
        content: [],
        stopReason: 'refusal',
      })
    })

    test('a call that must not be made is dropped', async () => {
      const play = streams(dialect.calls([{ id: 'a', name: 'get_vms', json: ['{}'] }]))
      const turn = await generate([play], { mayCallTools: false })
      expect(turn).toMatchObject({ content: [], stopReason: 'end_turn' })
      const { tools: declared, tool_choice } = server.requests[0]?.body ?? {}
      expect(declared === undefined || JSON.stringify(tool_choice).includes('none')).toBe(true)
    })

    test('the last event may lack the empty line behind it', async () => {
      const turn = await generate([
        streams([
          dialect
            .says(['Hi'])
            .join('')
            .replace(/(data: \[DONE\])?\s+$/, ''),
        ]),
      ])
      expect(turn).toMatchObject({ content: [{ type: 'text', text: 'Hi' }], stopReason: 'end_turn' })
    })

    test.each<[string, (events: string[]) => Play]>([
      ['ends early', streams],
      ['is torn', tears],
    ])('a stream that %s is broken', async (_, play) => {
      const error = await failure([play(dialect.begins(['Half a']))])
      expect(error).toMatchObject({ code: 'model_stream_broken', isRetryable: true })
    })

    test('a stream that is not JSON is broken', async () => {
      expect((await failure([streams(['data: {"type":\n\n'])])).code).toBe('model_stream_broken')
      expect((await failure([streams(['data: null\n\n'])])).code).toBe('model_stream_broken')
      expect((await failure([streams(['data: []\n\n'])])).code).toBe('model_stream_broken')
    })

    test.each(dialect.unreadable.map((events) => [events.join('').trim().replaceAll('\n', ' '), events] as const))(
      'what cannot be read as the protocol has it is a broken stream: %s',
      async (_, events) => {
        const error = await failure([streams([...events, ...dialect.says([])])])
        expect(error).toMatchObject({ code: 'model_stream_broken', isRetryable: true })
      },
    )

    test('an error inside the stream may be odd itself', async () => {
      expect(await failure([streams([dialect.oddFailure])])).toMatchObject({ code: 'model_overloaded' })
    })

    test('an error inside the stream is reported like one outside it', async () => {
      const error = await failure([streams([...dialect.begins(['Half']), dialect.overloaded])])
      expect(error).toMatchObject({ code: 'model_overloaded', isRetryable: true })
    })

    test.each([
      [400, 'model_bad_request', false],
      [401, 'model_auth', false],
      [402, 'model_quota', false],
      [403, 'model_auth', false],
      [404, 'model_bad_request', false],
      [408, 'model_timeout', true],
      [413, 'model_bad_request', false],
      [422, 'model_bad_request', false],
      [429, 'model_rate_limited', true],
      [500, 'model_overloaded', true],
      [502, 'model_overloaded', true],
      [503, 'model_overloaded', true],
      [529, 'model_overloaded', true],
    ] as const)('HTTP %i is %s', async (status, code, isRetryable) => {
      const error = await failure([refuses(status, dialect.error('No.'))])
      expect(error).toMatchObject({ code, isRetryable, retryAfterMs: undefined })
      if (code === 'model_auth') expect(error.message).toContain(dialect.keyName)
    })

    test("a refused request tells the provider's reason, in bounds and without the key", async () => {
      const said = `Too long:  ${secretKey} \n${'x'.repeat(1_000)}`
      const { message } = await failure([refuses(400, dialect.error(said))])
      expect(message).toContain('Too long: [key] xxx')
      expect(message.length).toBeLessThan(400)
    })

    test('an error page in HTML is not quoted', async () => {
      expect((await failure([refuses(404, '<html>nginx</html>')])).message).not.toContain('<')
      const page: Play = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>')
      expect(await failure([page])).toMatchObject({ code: 'model_bad_request', isRetryable: false })
    })

    test.each([
      ['retry-after', '7', 7_000, 7_000],
      ['retry-after-ms', '1500', 1_500, 1_500],
      ['retry-after', 'in a while', undefined, undefined],
    ])('%s: %s', async (name, value, from, to) => {
      const error = await failure([refuses(429, dialect.error('Slow down.'), { [name]: value })])
      if (from === undefined) return expect(error.retryAfterMs).toBeUndefined()
      expect(error.retryAfterMs).toBeGreaterThanOrEqual(from)
      return expect(error.retryAfterMs).toBeLessThanOrEqual(to ?? 0)
    })

    test('retry-after as a date', async () => {
      const headers = { 'retry-after': new Date(Date.now() + 60_000).toUTCString() }
      const { retryAfterMs } = await failure([refuses(503, dialect.error('Later.'), headers)])
      expect(retryAfterMs).toBeGreaterThan(50_000)
      expect(retryAfterMs).toBeLessThanOrEqual(60_000)
    })

    test('a spent quota is not worth retrying, whatever its status', async () => {
      expect(await failure([dialect.spent])).toMatchObject({ code: 'model_quota', isRetryable: false })
    })

    test('a missing server is unreachable, and named', async () => {
      const { url } = server
      await server[Symbol.asyncDispose]()
      const error = await failure([])
      expect(error).toMatchObject({ code: 'model_unreachable', isRetryable: true })
      expect(error.message).toContain(new URL(url).host)
      expect(error.message).toContain('connection refused')
      server = await modelServer()
    })

    test.each<[string, Play]>([
      ['before the answer', () => {}],
      ['in the middle of it', stalls(dialect.begins(['Hm']))],
    ])('a silence %s ends the request', async (_, play) => {
      const error = await failure([play], {}, recorder(), 60)
      expect(error).toMatchObject({ code: 'model_timeout', isRetryable: true })
      await server.requests[0]?.cut
    })

    test('an abort before the start asks nobody', async () => {
      const reason = new Error('never mind')
      await expect(model().generate(request(), recorder(), AbortSignal.abort(reason))).rejects.toBe(reason)
      expect(server.requests).toEqual([])
    })

    test('an abort while the provider thinks closes the connection', async () => {
      const controller = new AbortController()
      const reason = new Error('stop')
      server.plays.push(() => controller.abort(reason))
      await expect(model().generate(request(), recorder(), controller.signal)).rejects.toBe(reason)
      await server.requests[0]?.cut
    })

    test('an abort in the middle of a stalled answer closes the connection', async () => {
      const controller = new AbortController()
      const reason = new Error('stop')
      server.plays.push(stalls(dialect.begins(['Hm', 'm'])))
      const sink = { ...recorder(), text: () => controller.abort(reason) }
      await expect(model().generate(request(), sink, controller.signal)).rejects.toBe(reason)
      await server.requests[0]?.cut
    })

    /** Accepts connections and never answers the TLS handshake. */
    async function mute(onHello: () => void) {
      let seen = () => {}
      const closed = new Promise<void>((resolve) => {
        seen = resolve
      })
      const listener = createServer((socket) =>
        socket
          .on('error', () => {})
          .on('close', seen)
          .once('data', onHello),
      )
      await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
      const { port } = listener.address() as AddressInfo
      return { baseUrl: `https://127.0.0.1:${port}`, closed, [Symbol.dispose]: () => listener.close() }
    }

    test('an abort while connecting closes the connection', async () => {
      const controller = new AbortController()
      const reason = new Error('stop')
      using far = await mute(() => controller.abort(reason))
      const turn = dialect.model({ baseUrl: far.baseUrl }).generate(request(), recorder(), controller.signal)
      await expect(turn).rejects.toBe(reason)
      await far.closed
    })

    test('a silence while connecting ends the request', async () => {
      using far = await mute(() => {})
      const turn = dialect.model({ baseUrl: far.baseUrl, idleTimeoutMs: 60 }).generate(request(), recorder(), never)
      await expect(turn).rejects.toMatchObject({ code: 'model_timeout' })
      await far.closed
    })

    test('leaves no listener on the signal', async () => {
      let listeners = 0
      const { signal } = new AbortController()
      const { addEventListener, removeEventListener } = signal
      signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
        listeners++
        addEventListener.apply(signal, args)
      }
      signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
        listeners--
        removeEventListener.apply(signal, args)
      }
      server.plays.push(streams(dialect.says(['Yes'])))
      await model().generate(request(), recorder(), signal)
      expect(listeners).toBe(0)
    })

    test('an exception of the sink is thrown on, and closes the connection', async () => {
      const sink = {
        ...recorder(),
        text: () => {
          throw new RangeError('full')
        },
      }
      await expect(generate([stalls(dialect.begins(['Hm', 'm']))], {}, sink)).rejects.toThrow(new RangeError('full'))
      await server.requests[0]?.cut
    })

    test('a kept-alive connection that the server closed is opened again', async () => {
      const one = model()
      server.plays.push(streams(dialect.says(['One'])), (response) => response.socket?.resetAndDestroy())
      server.plays.push(streams(dialect.says(['Two'])))
      await one.generate(request(), recorder(), never)
      const turn = await one.generate(request(), recorder(), never)
      expect(turn.content).toEqual([{ type: 'text', text: 'Two' }])
      expect(server.requests).toHaveLength(3)
    })
  })
}
