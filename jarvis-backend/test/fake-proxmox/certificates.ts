import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Certificate = { key: string; cert: string; fingerprint: string }

/** An authority of its own in `dir`, as each cluster has one, that signs a certificate for each node. */
export function createAuthority(dir: string): { caFile: string; issue(name: string): Certificate } {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'pipe' })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '2',
    '-subj',
    '/CN=Fake cluster CA',
  )
  let issued = 0
  return {
    caFile: join(dir, 'ca.pem'),
    issue(name) {
      issued += 1
      const file = `${name}-${issued}`
      openssl('req', ...newKey, '-keyout', `${file}.key`, '-out', `${file}.csr`, '-subj', `/CN=${name}`)
      writeFileSync(join(dir, `${file}.ext`), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n')
      const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', `${file}.ext`]
      openssl('x509', '-req', '-in', `${file}.csr`, '-out', `${file}.pem`, ...signed)
      const [key, cert] = ['key', 'pem'].map((end) => readFileSync(join(dir, `${file}.${end}`), 'utf8'))
      if (key === undefined || cert === undefined) throw new Error('openssl made nothing')
      return { key, cert, fingerprint: new X509Certificate(cert).fingerprint256 }
    },
  }
}
