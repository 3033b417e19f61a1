import 'reflect-metadata'
import { webcrypto, X509Certificate } from 'node:crypto'
import { BasicConstraintsExtension, SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509'

export type Certificate = { key: string; cert: string; fingerprint: string }

const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const dayMs = 86_400_000
/** Valid from yesterday, for clocks that are a little behind. */
const valid = () => ({ notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + 2 * dayMs) })
const newKeys = () => webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify'])

const authorityName = 'CN=Fake cluster CA'
const authorityKeys = await newKeys()
const authority = await X509CertificateGenerator.createSelfSigned({
  ...valid(),
  serialNumber: '01',
  name: authorityName,
  signingAlgorithm,
  keys: authorityKeys,
  extensions: [new BasicConstraintsExtension(true, undefined, true)],
})
/** Certificates that no server shows now. */
const free: Certificate[] = []
let issued = 1

/** The certificate of the CA that signs the others, PEM. */
export const authorityCertificate = (): string => authority.toString('pem')

/** Lends a certificate for this machine that no other server uses now. After its return, the process keeps it for later servers. */
export const borrowCertificate = async (): Promise<Certificate> => free.pop() ?? (await issue())
export const returnCertificate = (certificate: Certificate): void => void free.push(certificate)

async function issue(): Promise<Certificate> {
  const keys = await newKeys()
  issued += 1
  const signed = await X509CertificateGenerator.create({
    ...valid(),
    serialNumber: issued.toString(16).padStart(4, '0'),
    subject: 'CN=fake',
    issuer: authorityName,
    signingAlgorithm,
    publicKey: keys.publicKey,
    signingKey: authorityKeys.privateKey,
    extensions: [
      new SubjectAlternativeNameExtension([
        { type: 'ip', value: '127.0.0.1' },
        { type: 'dns', value: 'localhost' },
        // Names that only a test's proxy resolves.
        { type: 'dns', value: '*.example.test' },
      ]),
    ],
  })
  const cert = signed.toString('pem')
  const body = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  const key = `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`
  return { key, cert, fingerprint: new X509Certificate(cert).fingerprint256 }
}
