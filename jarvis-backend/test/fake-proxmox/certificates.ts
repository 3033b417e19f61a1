import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Certificate = { key: string; cert: string; fingerprint: string }

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
const days = ['-days', '2']

/** The authority of all fake servers of this process, in PEM. */
let authority: { key: string; ca: string } | undefined
/** Certificates that no server shows now. */
const free: Certificate[] = []

/** Runs `work` in a folder that ends with it. `openssl` works there. */
function inFolder<T>(work: (openssl: (...args: string[]) => void, at: (name: string) => string) => T): T {
  const dir = mkdtempSync(join(tmpdir(), 'fake-authority-'))
  try {
    return work(
      (...args) => void execFileSync('openssl', args, { cwd: dir, stdio: 'pipe' }),
      (name) => join(dir, name),
    )
  } finally {
    rmSync(dir, { recursive: true })
  }
}

function theAuthority() {
  authority ??= inFolder((openssl, at) => {
    openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', ...days, '-subj', '/CN=Fake cluster CA')
    return { key: readFileSync(at('ca.key'), 'utf8'), ca: readFileSync(at('ca.pem'), 'utf8') }
  })
  return authority
}

/** The certificate of the authority that signs the others, in PEM. */
export const authorityCertificate = (): string => theAuthority().ca

/**
 * Lends a certificate for this machine that no other server shows now. The process keeps it for later servers, because making one takes
 * longer than many tests.
 */
export const borrowCertificate = (): Certificate => free.pop() ?? issue()
export const returnCertificate = (certificate: Certificate): void => void free.push(certificate)

function issue(): Certificate {
  const { key: caKey, ca } = theAuthority()
  return inFolder((openssl, at) => {
    writeFileSync(at('ca.key'), caKey, { mode: 0o600 })
    writeFileSync(at('ca.pem'), ca)
    writeFileSync(at('names'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n')
    openssl('req', ...newKey, '-keyout', 'key', '-out', 'csr', '-subj', '/CN=fake')
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', ...days, '-extfile', 'names']
    openssl('x509', '-req', '-in', 'csr', '-out', 'cert', ...signed)
    const [key, cert] = [readFileSync(at('key'), 'utf8'), readFileSync(at('cert'), 'utf8')]
    return { key, cert, fingerprint: new X509Certificate(cert).fingerprint256 }
  })
}
