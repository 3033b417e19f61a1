import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'

const agent = new Agent({ keepAlive: true })
let asked = 0

function ask(
  url: string,
  { token, message }: { token: string; message: string },
  heard: (response: IncomingMessage) => void,
): ClientRequest {
  asked += 1
  // Equal requests share a run.
  const body = { model: 'jarvis', messages: [{ role: 'user', content: message }], stream: true, user: `bench ${asked}` }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const asking = request(`${url}/v1/chat/completions`, { method: 'POST', agent, headers }, heard)
  asking.end(JSON.stringify(body))
  return asking
}

/** Asks over `/v1` for something red, and resolves once its card waits. The stream stays open. @param heard told of what comes; undefined: the end */
export function waitOverV1(
  url: string,
  token: string,
  heard: (text: string | undefined) => void = () => {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    const asking = ask(url, { token, message: 'call restart_vm {"vmid":142}' }, (response) => {
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        heard(text)
        if (text.includes('reasoning_content')) resolve()
      })
      response.once('close', () => heard(undefined))
      response.on('end', () =>
        reject(new Error(`${response.statusCode}: the stream ended before its card was decided`)),
      )
    })
    asking.on('error', reject)
  })
}

/** Asks over `/v1` for a streamed answer. @returns the length of its text. @throws Error where it does not end with `[DONE]` */
export function runOverV1(url: string, token: string, message: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asking = ask(url, { token, message }, (response) => {
      let chars = 0
      let left = ''
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        const events = (left + text).split('\n\n')
        left = events.pop() ?? ''
        for (const event of events) {
          if (event === 'data: [DONE]') return resolve(chars)
          if (!event.startsWith('data: ')) continue
          const { choices } = JSON.parse(event.slice(6)) as { choices?: { delta: { content?: string } }[] }
          if (choices === undefined) return reject(new Error(event))
          chars += choices[0]?.delta.content?.length ?? 0
        }
      })
      response.on('end', () =>
        reject(new Error(`${response.statusCode}: the answer ended early: ${left.slice(0, 300)}`)),
      )
      response.on('error', reject)
    })
    asking.on('error', reject)
  })
}
