import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished } from 'vitest'
import { dashboardDir, givePassword, test, useBrowser } from './support/browser.ts'
import { memoryProvider, newVerifier, queryFor, registerClient } from './support/oauth-client.ts'
import { password, startJarvis } from './support/start-jarvis.ts'

const { person } = useBrowser()

/** The program that waits for its answer, as editors do. */
async function startCallback() {
  let answered: (params: URLSearchParams) => void
  const params = new Promise<URLSearchParams>((resolve) => {
    answered = resolve
  })
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost')
    if (url.pathname === '/callback') answered(url.searchParams)
    response.setHeader('content-type', 'text/html').end('<title>Back</title><link rel="icon" href="data:,">')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { params, redirectUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback` }
}

test('an editor adds the address, the operator signs in and allows it to read, and it reads', async () => {
  const jarvis = await startJarvis({ dashboardDir })
  const { params, redirectUrl } = await startCallback()
  const { provider, kept } = memoryProvider({ redirectUrl })
  const url = new URL(`${jarvis.url}/mcp`)
  const transport = new StreamableHTTPClientTransport(url, { authProvider: provider })
  await expect(new Client({ name: 'editor', version: '1' }).connect(transport)).rejects.toThrow(/authoriz/i)

  const page = await person(jarvis)
  await page.goto(String(kept.sentTo))
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Let “Test Editor” use JARVIS?' }).waitFor()
  await page.getByText(new URL(redirectUrl).host).waitFor()
  expect(await page.getByRole('radio', { name: 'read only' }).isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Allow' }).click()
  await givePassword(page)
  await page.waitForURL(`${redirectUrl}?*`)

  await transport.finishAuth(await params)
  expect(kept.tokens).toMatchObject({ scope: 'jarvis:read' })
  const client = new Client({ name: 'editor', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider: provider }))
  onTestFinished(() => client.close())
  expect((await client.callTool({ name: 'get_cluster_status', arguments: {} })).isError).not.toBe(true)

  await page.goto(`${jarvis.url}/settings/tokens`)
  await page.getByText('signed in as “Test Editor”').waitFor()
})

test('what cannot be granted is said, and the browser stays until a person sends it back', async () => {
  const jarvis = await startJarvis({ dashboardDir })
  const { params, redirectUrl } = await startCallback()
  const { body } = await registerClient(jarvis, { redirect_uris: [redirectUrl] })
  const changed = { redirect_uri: redirectUrl, code_challenge_method: 'plain' }
  const page = await person(jarvis)
  await page.goto(`${jarvis.url}/oauth/authorize?${queryFor(jarvis, body.client_id, newVerifier(), changed)}`)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('PKCE with S256 is required.').waitFor()
  await page.getByRole('link', { name: `Tell ${new URL(redirectUrl).host}` }).click()
  expect(Object.fromEntries(await params)).toMatchObject({ error: 'invalid_request', iss: jarvis.url })
})
