import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true })
let asked = 0

/** Asks over `/v1` for a streamed answer. @returns the length of its text. @throws Error where it does not end with `[DONE]` */
export function runOverV1(url: string, token: string, message: string): Promise<number> {
  asked += 1
  // Equal requests share a run.
  const body = { model: 'jarvis', messages: [{ role: 'user', content: message }], stream: true, user: `bench ${asked}` }
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const asking = request(`${url}/v1/chat/completions`, { method: 'POST', agent, headers }, (response) => {
      let chars = 0
      let left = ''
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        const events = (left + text).split('\n\n')
        left = events.pop() ?? ''
        for (const event of events) {
          if (event === 'data: [DONE]') return resolve(chars)
          if (!event.startsWith('data: ')) continue
          const { choices } = JSON.parse(event.slice(6)) as { choices: { delta: { content?: string } }[] }
          chars += choices[0]?.delta.content?.length ?? 0
        }
      })
      response.on('end', () =>
        reject(new Error(`${response.statusCode}: the answer ended early: ${left.slice(0, 300)}`)),
      )
      response.on('error', reject)
    })
    asking.on('error', reject)
    asking.end(JSON.stringify(body))
  })
}
