import type { Page, Request } from 'playwright-core'
import type { SessionsPage } from 'protocol'
import { expect } from 'vitest'
import { dashboardDir, say, signIn, test, useBrowser } from './support/browser.ts'
import { atHttpsName } from './support/https-name.ts'
import { startJarvis } from './support/start-jarvis.ts'

const { open } = useBrowser()
const name = 'jarvis.example.org'
const home = `https://${name}`
const cookieName = '__Host-jarvis'

/** Attacks of a page at another port of the name: a request that carries the cookie, a form, a picture and a WebSocket. */
async function attack(page: Page): Promise<string[]> {
  await page.goto(`${home}:8443/`)
  const tried = await page.evaluate(async (target: string) => {
    const asked = async (path: string, init: RequestInit) =>
      fetch(target + path, { credentials: 'include', ...init }).then(
        ({ status, type }) => `${type} ${status}`,
        () => 'refused',
      )
    const socket = new Promise<string>((resolve) => {
      const link = new WebSocket(`${target.replace('https', 'wss')}/socket.io/?EIO=4&transport=websocket`)
      link.onopen = () => resolve('open')
      link.onerror = () => resolve('refused')
    })
    const read = await asked('/api/sessions', {})
    await asked('/api/sessions', { method: 'POST', mode: 'no-cors', body: '{"title":"Forged"}' })
    await asked('/api/auth/logout', { method: 'POST', mode: 'no-cors' })
    return [read, await socket]
  }, home)
  await page.evaluate(`{
    const form = document.createElement('form')
    Object.assign(form, { method: 'post', action: '${home}/api/sessions', enctype: 'text/plain' })
    const field = document.createElement('input')
    Object.assign(field, { name: '{"title":"Forged","x":"', value: '"}' })
    form.append(field)
    document.body.append(form)
    form.submit()
  }`)
  await page.waitForURL(`${home}/api/sessions`)
  return tried
}

test('at an https name Chromium keeps the sign-in in a cookie: REST, socket and reload go by it, a page at another port by nothing, and signing out ends it', async () => {
  const jarvis = await startJarvis({ dashboardDir, env: { JARVIS_PUBLIC_URL: home, JARVIS_EMBEDDINGS: 'none' } })
  /** Requests that the other service received. */
  const received: string[] = []
  const server = await atHttpsName(name, jarvis.url, ({ headers }, answer) => {
    received.push(headers.cookie ?? '')
    answer.writeHead(200, { 'content-type': 'text/html' }).end('<title>A NAS</title>')
  })
  const page = await open(home, { proxy: { server }, ignoreHTTPSErrors: true })
  const asked: Request[] = []
  page.on('request', (request) => void asked.push(request))
  const framesSent: string[] = []
  page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => void framesSent.push(String(payload))))

  await signIn(page)
  const kept = async () => (await page.context().cookies()).find((cookie) => cookie.name === cookieName)
  const cookie = await kept()
  expect(cookie).toMatchObject({ domain: name, path: '/', httpOnly: true, secure: true, sameSite: 'Strict' })
  const inPage = () =>
    page.evaluate('[document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage)].join()')
  const secret = cookie?.value ?? ''
  expect(secret.length).toBeGreaterThan(20)
  expect(await inPage()).not.toContain(secret)

  await say(page, 'Which containers run?')
  await page.getByText('120', { exact: false }).first().waitFor()
  await page.waitForURL(/\/chat\/ses_/)
  await page.reload()
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  await page.getByText('Which containers run?').first().waitFor()
  const headers = await Promise.all(asked.map((request) => request.allHeaders()))
  expect(headers.filter(({ authorization }) => authorization !== undefined)).toEqual([])
  expect(headers.filter((sent) => sent.cookie?.includes(secret)).length).toBeGreaterThan(3)
  expect(framesSent.length).toBeGreaterThan(3)
  expect(framesSent.join()).not.toContain(secret)

  const other = await page.context().newPage()
  expect(await attack(other)).toEqual(['refused', 'refused'])
  // The browser sends the cookie to each port of the name, and it is of no use to who runs the other service.
  expect(received.some((sent) => sent.includes(secret))).toBe(true)
  const replayed = { host: name, cookie: `${cookieName}=${secret}` }
  const { request } = await import('node:http')
  const status = await new Promise((resolve) => {
    request(`${jarvis.url}/api/sessions`, { headers: replayed }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    }).end()
  })
  expect(status).toBe(401)
  const { items } = (await (await jarvis.rest('/api/sessions')).json()) as SessionsPage
  expect(items).toHaveLength(1)
  await other.close()

  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  expect(await kept()).toBeUndefined()
  await page
    .context()
    .addCookies([{ name: cookieName, value: secret, url: home, httpOnly: true, secure: true, sameSite: 'Strict' }])
  expect(await page.evaluate(`fetch('/api/auth/me').then(({ status }) => status)`)).toBe(401)
  await page.reload()
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
})
