import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { answerPbs, type PbsFacts, PbsRefusal } from 'fake-proxmox/pbs-model'
import { borrowCertificate, returnCertificate } from 'fake-proxmox/server/certificates'
import { onTestFinished } from 'vitest'

export const pbsToken = { tokenId: 'jarvis@pbs!jarvis', tokenSecret: '00000000-aaaa-bbbb-cccc-dddddddddddd' }

/** A backup server over HTTPS. It ends with the test. `visible`: the datastores that the token may audit; absent: all. */
export async function startFakePbs(facts: PbsFacts) {
  const certificate = await borrowCertificate()
  const { key, cert, fingerprint } = certificate
  const state = {
    visible: undefined as readonly string[] | undefined,
    requests: [] as string[],
    facts,
    says: undefined as string | undefined,
  }
  const server = createServer({ key, cert }, (request, response) => {
    const say = (status: number, type: string, text: string) => {
      response.writeHead(status, { 'content-type': type })
      response.end(text)
    }
    const url = new URL(request.url ?? '/', 'https://pbs')
    state.requests.push(`${request.method} ${url.pathname}`)
    // The colon parts the secret from the id; a cluster's equals sign is refused.
    const [, given] = /^PBSAPIToken[ =](.*)$/.exec(request.headers.authorization ?? '') ?? []
    if (given !== `${pbsToken.tokenId}:${pbsToken.tokenSecret}`) {
      say(401, 'text/plain', 'authentication failed - invalid credentials.')
      return
    }
    if (state.says !== undefined) {
      say(200, 'application/json', state.says)
      return
    }
    try {
      const path = url.pathname
        .replace(/^\/api2\/json\//, '')
        .split('/')
        .map(decodeURIComponent)
      const may = (store: string) => state.visible?.includes(store) ?? true
      const data = answerPbs({ ...state.facts, may }, path, Object.fromEntries(url.searchParams))
      say(200, 'application/json', JSON.stringify({ data }))
    } catch (error) {
      if (error instanceof PbsRefusal) say(error.status, 'text/plain', error.message)
      else say(500, 'text/plain', String(error))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
    returnCertificate(certificate)
  })
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, fingerprint, state }
}
