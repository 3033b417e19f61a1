import { createHash, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import type { Transporter } from 'nodemailer'
import { fingerprintOf } from '../../lib/fingerprint.ts'
import type { Channel, ChannelKind, Delivery, Outgoing } from '../channel.ts'

const patienceMs = 15_000
/** Error codes of nodemailer and of sockets after which a later attempt may succeed. */
const passing = new Set(['ECONNECTION', 'ETIMEDOUT', 'ESOCKET', 'EDNS', 'ECONNREFUSED', 'ECONNRESET'])
const mostWords = 200

type Failure = { code?: string; responseCode?: number; response?: string; message?: string }

/**
 * Interprets the error of a mail that was not accepted: after 4xx or a dead connection a later attempt may succeed, but not after 5xx (RFC 5321,
 * section 4.2.1).
 * @param shown the fingerprint of a certificate that is not trusted
 */
function outcome(error: Failure, shown?: string): Delivery {
  const { code, responseCode, response = '', message = '' } = error
  if (responseCode !== undefined) {
    const why = `it answered ${response.slice(0, mostWords)}`
    return responseCode >= 500 ? { kind: 'failed', why } : { kind: 'again', why }
  }
  if (/altnames/i.test(message))
    return { kind: 'again', why: `its certificate is for other names than the one in URL (${said(message)})` }
  // Try again: the mail can be sent as soon as a person trusts the certificate.
  if (isUntrusted(error)) {
    const own = shown === undefined ? '' : ` The certificate’s own is ${shown}`
    return {
      kind: 'again',
      why: `its certificate is not trusted (${said(message)}): name the file of its authority’s certificate, or of its own, as CA_FILE, or its SHA-256 fingerprint, once compared, as FINGERPRINT.${own}`,
    }
  }
  if (code === 'ETLS') return { kind: 'failed', why: 'it offers no STARTTLS' }
  if (code === 'EAUTH') return { kind: 'failed', why: 'it refuses the account' }
  const why = `it could not be reached (${code ?? 'unknown'})`
  return passing.has(code ?? '') || code === undefined ? { kind: 'again', why } : { kind: 'failed', why }
}

const isUntrusted = ({ responseCode, message = '' }: Failure) =>
  responseCode === undefined && /certificate/i.test(message) && !/altnames/i.test(message)

const said = (message: string) => message.replace(/\s+/g, ' ').slice(0, mostWords)

/** Reads a certificate from a file. Only this certificate is then trusted. @returns a string that says what is wrong with the file */
function authorityIn(path: string): { pem: string } | string {
  try {
    const pem = readFileSync(path, 'utf8')
    new X509Certificate(pem)
    return { pem }
  } catch {
    return 'must be a file on the machine of JARVIS with a certificate in PEM, for example /etc/ssl/mail-ca.pem'
  }
}

type Server = { host: string; port: number; secure: boolean }

/** Reads the certificate that a server presents. Nothing is sent to the server, so its owner does not matter. */
async function certificateOf(server: Server): Promise<{ fingerprint: string; pem: string }> {
  const { default: Connection } = await import('nodemailer/lib/smtp-connection')
  const connection = new Connection({
    ...server,
    requireTLS: !server.secure,
    tls: { rejectUnauthorized: false },
    connectionTimeout: patienceMs,
    greetingTimeout: patienceMs,
    socketTimeout: patienceMs,
  })
  try {
    return await new Promise((resolve, reject) => {
      connection.once('error', reject)
      connection.connect(() => {
        const { raw } = (connection as unknown as { _socket: TLSSocket })._socket.getPeerCertificate()
        const certificate = new X509Certificate(raw)
        resolve({ fingerprint: certificate.fingerprint256, pem: certificate.toString() })
      })
    })
  } finally {
    connection.close()
  }
}

/**
 * Connection options that trust exactly the certificate with this fingerprint, whoever signed it and whatever names it has. @throws Error if the
 * server presents another certificate
 */
async function pinned(
  server: Server,
  fingerprint: string,
): Promise<ConnectionOptions & { allowPartialTrustChain: true }> {
  const { fingerprint: shown, pem } = await certificateOf(server)
  if (shown !== fingerprint) throw new Error(`the certificate is another one than FINGERPRINT names`)
  return {
    ca: pem,
    // The pinned certificate need not be self-signed.
    allowPartialTrustChain: true,
    checkServerIdentity: (_host, { fingerprint256 }) =>
      fingerprint256 === fingerprint ? undefined : new Error('the certificate is another one than FINGERPRINT names'),
  }
}

/** The parts of `smtp://mail.lan:587` or `smtps://mail.lan`. */
function serverOf(value: string): Server | undefined {
  if (!URL.canParse(value)) return undefined
  const { protocol, hostname, port, pathname, username } = new URL(value)
  if ((protocol !== 'smtp:' && protocol !== 'smtps:') || hostname === '' || username !== '') return undefined
  if (pathname !== '' && pathname !== '/') return undefined
  const secure = protocol === 'smtps:'
  return { host: hostname, port: port === '' ? (secure ? 465 : 587) : Number(port), secure }
}

const addressForm = /^[^\s<>@,;"]+@[^\s<>@,;"]+$/
const addressProblem = (value: string) =>
  addressForm.test(value) ? undefined : 'must be one address, for example mira@home.lan'
const isHere = (host: string) => host === 'localhost' || host.startsWith('127.')

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function textsOf({ title, lines, link }: Outgoing) {
  const text = [title, '', ...lines, ...(link === undefined ? [] : ['', link])].join('\n')
  const address =
    link === undefined ? '' : `<p><a href="${escaped(link).replaceAll('"', '&quot;')}">Open JARVIS</a></p>`
  return {
    text,
    html: `<p><b>${escaped(title)}</b></p>${lines.map((line) => `<p>${escaped(line)}</p>`).join('')}${address}`,
  }
}

/** Mail over SMTP. A link in a mail opens the dashboard and never decides, because mail scanners follow links. */
export const email: ChannelKind = {
  id: 'email',
  name: 'E-mail',
  readers: 'Each mail server on the way can read these messages.',
  capabilities: {
    decidesAtMost: 'none',
    isIdempotent: false,
    pairs: false,
    hidesNames: true,
  },
  settings: [
    {
      name: 'URL',
      label: 'Server',
      isRequired: true,
      example: 'smtp://mail.lan:587',
      problem: (value) => (serverOf(value) === undefined ? 'must be smtp://HOST:PORT or smtps://HOST:PORT' : undefined),
    },
    { name: 'FROM', label: 'From', isRequired: true, example: 'jarvis@home.lan', problem: addressProblem },
    { name: 'TO', label: 'To', isRequired: true, example: 'mira@home.lan', problem: addressProblem },
    { name: 'USER', label: 'Account', isRequired: false, example: 'jarvis' },
    { name: 'PASSWORD', label: 'Password', isRequired: false, example: '' },
    {
      name: 'CA_FILE',
      label: 'Certificate to trust, a file on the machine of JARVIS',
      isRequired: false,
      example: '/etc/ssl/mail-ca.pem',
      problem(value) {
        const read = authorityIn(value)
        return typeof read === 'string' ? read : undefined
      },
    },
    {
      name: 'FINGERPRINT',
      label: 'Or the SHA-256 fingerprint of its certificate',
      isRequired: false,
      example: '8F:51:…:0A',
      problem: (value) =>
        fingerprintOf(value) === undefined
          ? 'must be a SHA-256 fingerprint of 32 bytes in hexadecimal, as openssl x509 -noout -fingerprint -sha256 prints it'
          : undefined,
    },
  ],
  open({
    URL: url = '',
    FROM: from = '',
    TO: to = '',
    USER: user,
    PASSWORD: pass,
    CA_FILE: caFile,
    FINGERPRINT: given = '',
  }): Channel {
    const server = serverOf(url) ?? { host: '', port: 0, secure: false }
    const fingerprint = fingerprintOf(given)
    const open = async () => {
      const pin = fingerprint === undefined ? undefined : await pinned(server, fingerprint)
      // The file is read for each connection, so a renewed certificate is used at once. If the file is missing, the server is not trusted.
      const authority = caFile === undefined ? undefined : authorityIn(caFile)
      // Loaded on first use: most installations send no mail.
      const { createTransport } = await import('nodemailer')
      return createTransport({
        ...server,
        // Without TLS, mail may only be sent to a server on this machine, where nobody else can read the connection.
        requireTLS: !server.secure && !isHere(server.host),
        ...(user !== undefined && pass !== undefined && { auth: { user, pass } }),
        ...(typeof authority === 'object' && { tls: { ca: authority.pem } }),
        ...(pin !== undefined && { tls: pin }),
        connectionTimeout: patienceMs,
        greetingTimeout: patienceMs,
        socketTimeout: patienceMs,
        disableFileAccess: true,
        disableUrlAccess: true,
      })
    }
    /** Interprets an error. If the certificate is not trusted, adds its fingerprint, so that a person can compare it. */
    const whyNot = async (error: Failure): Promise<Delivery> => {
      const shown = isUntrusted(error) ? await certificateOf(server).catch(() => undefined) : undefined
      return outcome(error, shown?.fingerprint)
    }
    return {
      place: to,
      async deliver(message, _to, signal) {
        if (signal.aborted) return { kind: 'again', why: 'JARVIS stopped' }
        let transport: Transporter | undefined
        try {
          transport = await open()
          // The message id is the same in every attempt, so that a mailbox may recognise a second copy.
          const hash = createHash('sha256').update(message.id).digest('hex').slice(0, 32)
          const isUrgent = message.level === 'failed' || message.level === 'card'
          await transport.sendMail({
            from: { name: 'JARVIS', address: from },
            to,
            subject: message.title,
            ...textsOf(message),
            messageId: `<${hash}@${from.split('@')[1] ?? 'jarvis'}>`,
            headers: { 'Auto-Submitted': 'auto-generated' },
            ...(isUrgent && { priority: 'high' as const }),
          })
          return { kind: 'sent' }
        } catch (error) {
          return whyNot(error as Failure)
        } finally {
          transport?.close()
        }
      },
      async health() {
        let transport: Transporter | undefined
        try {
          transport = await open()
          await transport.verify()
          return {}
        } catch (error) {
          const found = await whyNot(error as Failure)
          return { problem: 'why' in found ? found.why : 'it could not be reached' }
        } finally {
          transport?.close()
        }
      },
    }
  },
}
