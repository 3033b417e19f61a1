import { expect, test } from 'vitest'
import { failingRows } from '../../../../test/support/failing-rows.ts'
import { readsDocument } from './client.ts'
import type { ServerMetadata } from './discovery.ts'

const rows: [what: string, origin: string, issuer: string, metadata: object, isRead: boolean][] = [
  ['a public JARVIS', 'https://jarvis.example.org', 'https://auth.example', {}, true],
  ['at home, and so is the server', 'https://jarvis.lan', 'https://auth.lan', {}, true],
  ['at home, where the server cannot look', 'https://jarvis.lan', 'https://auth.example', {}, false],
  ['without TLS', 'http://localhost:4000', 'http://localhost:9000', {}, false],
  ['a server that reads none', 'https://jarvis.example.org', 'https://auth.example', { isRead: false }, false],
  [
    'a server whose clients need a secret',
    'https://jarvis.example.org',
    'https://auth.example',
    { isSecret: true },
    false,
  ],
]
test('JARVIS’s document is offered where the authorization server reads such and can reach it', async () => {
  const judge = ([, origin, issuer, odd, isRead]: (typeof rows)[number]) => {
    const { isRead: reads = true, isSecret = false } = odd as { isRead?: boolean; isSecret?: boolean }
    const metadata = {
      issuer,
      client_id_metadata_document_supported: reads,
      token_endpoint_auth_methods_supported: isSecret ? ['client_secret_basic'] : ['none'],
    } as unknown as ServerMetadata
    expect(readsDocument(metadata, origin)).toBe(isRead)
  }
  expect(await failingRows(rows, async (row) => judge(row))).toEqual([])
})
