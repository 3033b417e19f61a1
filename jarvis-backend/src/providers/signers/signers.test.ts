import { generateKeyPairSync } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { AwsV4Signer } from 'aws4fetch'
import jwt from 'jsonwebtoken'
import { afterAll, expect, test } from 'vitest'
import { keyFault, keyNameOf, secretsOfKey, signedHeaders, signerOf } from './index.ts'

const id = `AKIA${'B2'.repeat(8)}`
const temporary = `ASIA${'B2'.repeat(8)}`
const secret = 'wJalr/XUtnFEMI+K7MDENG'
const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const account = (more: object = {}) =>
  JSON.stringify({
    type: 'service_account',
    client_email: 'jarvis@lab.iam.gserviceaccount.com',
    private_key: privateKey,
    ...more,
  })

const bedrock = 'https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1'

test.each([
  ['a plain key', 'sk-or-v1-abc', undefined, undefined],
  ['a plain key with a space', 'Bearer sk-abc', undefined, 'without spaces'],
  ['a Bedrock API key', 'ABSKQmVkcm9jaw==', bedrock, undefined],
  ['an access key', `${id}:${secret}`, bedrock, undefined],
  [
    'an access key at the other host of Bedrock',
    `${id}:${secret}`,
    'https://bedrock-mantle.us-east-1.api.aws/anthropic',
    undefined,
  ],
  ['an access key without its secret', id, bedrock, 'ID:SECRET'],
  ['a temporary key without its token', `${temporary}:${secret}`, bedrock, 'ID:SECRET:SESSION_TOKEN'],
  ['a temporary key', `${temporary}:${secret}:IQoJb3JpZ2luX2VjE==`, bedrock, undefined],
  ['an access key with an empty token', `${id}:${secret}:`, bedrock, undefined],
  ['an access key for another server', `${id}:${secret}`, 'https://api.example.net/v1', 'Bedrock only'],
  [
    'an access key for a look-alike',
    `${id}:${secret}`,
    'https://bedrock.eu-central-1.amazonaws.com.example.net',
    'Bedrock only',
  ],
  ['a key file', account(), undefined, undefined],
  ['a key file of a person', account({ type: 'authorized_user' }), undefined, 'service account'],
  ['a cut key file', account().slice(0, 200), undefined, 'service account'],
  ['a key file with a broken key', account({ private_key: 'MIIE' }), undefined, 'private_key'],
  [
    'a key file that sends its proof in the clear',
    account({ token_uri: 'http://tokens.example.net' }),
    undefined,
    'https://',
  ],
])('judges %s', (_name, key, baseUrl, words) => {
  const fault = keyFault(key, baseUrl)
  if (words === undefined) expect(fault).toBeUndefined()
  else expect(fault).toContain(words)
  for (const part of [secret, 'BEGIN PRIVATE']) expect(fault ?? '').not.toContain(part)
})

test('names a key by its account and hides every other part', () => {
  expect(keyNameOf(`${id}:${secret}`)).toBe(id)
  expect(keyNameOf(account())).toBe('jarvis@lab.iam.gserviceaccount.com')
  expect(keyNameOf('sk-abc')).toBeUndefined()
  expect(secretsOfKey(`${temporary}:${secret}:tok==`)).toEqual([`${temporary}:${secret}:tok==`, secret, 'tok=='])
  expect(secretsOfKey(account())).toContain(privateKey)
})

test.each([
  [`${bedrock}/chat/completions`, 'bedrock', 'eu-central-1'],
  ['https://bedrock-mantle.us-east-1.api.aws/anthropic/v1/messages', 'bedrock-mantle', 'us-east-1'],
])('signs a request to %s as %s in %s', async (url, service, region) => {
  const signer = signerOf(`${temporary}:${secret}:tok==`)
  const body = Buffer.from('{"model":"größer"}')
  const headers = { authorization: 'Bearer none', 'x-api-key': 'none', 'content-type': 'application/json' }
  const sent = await signedHeaders(signer as NonNullable<typeof signer>, {
    method: 'POST',
    url: new URL(url),
    headers,
    body,
  })
  expect(sent['x-api-key']).toBeUndefined()
  expect(sent['content-type']).toBe('application/json')
  expect(sent['x-amz-security-token']).toBe('tok==')
  const datetime = sent['x-amz-date']
  const again = await new AwsV4Signer({
    method: 'POST',
    url,
    body,
    service,
    region,
    datetime,
    accessKeyId: temporary,
    secretAccessKey: secret,
    sessionToken: 'tok==',
  }).sign()
  expect(sent.authorization).toBe(again.headers.get('authorization'))
  expect(sent.authorization).toContain(`/${region}/${service}/aws4_request`)
})

const servers: http.Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

/** Google's exchange of a signed request for a token. It checks the signature as Google does. */
async function tokens(answer: (count: number) => { status: number; body: object }) {
  const asked: jwt.JwtPayload[] = []
  const server = http.createServer(async (request, response) => {
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString())
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer')
    asked.push(jwt.verify(form.get('assertion') ?? '', publicKey, { algorithms: ['RS256'] }) as jwt.JwtPayload)
    const { status, body } = answer(asked.length)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`
  const signer = signerOf(account({ token_uri: url }))
  if (signer === undefined) throw new Error('The key file is not recognised.')
  const unsigned = { method: 'POST', url: new URL('https://europe-west4-aiplatform.googleapis.com/v1'), headers: {} }
  return { asked, url, signer, headers: () => signedHeaders(signer, unsigned) }
}
const granted = (count: number, seconds = 3_600) => ({
  status: 200,
  body: { access_token: `ya29.token-${count}`, expires_in: seconds, token_type: 'Bearer' },
})

test('exchanges the key file once for all requests of its hour', async () => {
  const { asked, url, signer, headers } = await tokens((count) => granted(count))
  const sent = await Promise.all([headers(), headers(), headers()])
  expect(sent).toEqual(Array(3).fill({ authorization: 'Bearer ya29.token-1' }))
  await headers()
  expect(asked).toHaveLength(1)
  expect(asked[0]).toMatchObject({
    iss: 'jarvis@lab.iam.gserviceaccount.com',
    aud: url,
    scope: 'https://www.googleapis.com/auth/cloud-platform',
  })
  expect(signer.secrets()).toContain('ya29.token-1')
})

test('renews a token before its end, and one that the server refused', async () => {
  const { asked, signer, headers } = await tokens((count) => granted(count, count === 1 ? 30 : 3_600))
  await headers()
  expect(await headers()).toEqual({ authorization: 'Bearer ya29.token-2' })
  signer.refused?.()
  signer.refused?.()
  // The server's message is read after the refusal, and may quote the token.
  expect(signer.secrets()).toContain('ya29.token-2')
  expect(await headers()).toEqual({ authorization: 'Bearer ya29.token-3' })
  expect(asked).toHaveLength(3)
})

test('says in Google’s words why there is no token, and asks again later', async () => {
  const refusal = { error: 'invalid_grant', error_description: 'Invalid JWT: Token must be a short-lived token.' }
  const { headers } = await tokens((count) => (count === 1 ? { status: 400, body: refusal } : granted(count)))
  await expect(headers()).rejects.toMatchObject({
    code: 'model_auth',
    message: expect.stringContaining('(HTTP 400): Invalid JWT: Token must be a short-lived token.'),
  })
  expect(await headers()).toEqual({ authorization: 'Bearer ya29.token-2' })
})
