import { ModelError } from '../../agent/model.ts'
import type { KeyForm, Signer } from './signer.ts'

const form = /^((?:AKIA|ASIA)[A-Z0-9]{12,124})(?::([^:\s]+)(?::(\S*))?)?$/
/** Hosts of Bedrock: the service in whose name a request is signed, and the region. Source: Amazon Bedrock's list of endpoints. */
const hosts =
  /^(bedrock(?:-mantle)?)(?:-runtime)?(?:-fips)?\.([a-z]{2}(?:-[a-z]+)+-\d+)\.(?:amazonaws\.com(?:\.cn)?|api\.aws)$/

/** The signature's service and region; undefined for a host that is not Bedrock's. */
function placeOf({ hostname }: URL): { service: string; region: string } | undefined {
  const [, service, region] = hosts.exec(hostname) ?? []
  return service === undefined || region === undefined ? undefined : { service, region }
}

const elsewhere = 'An access key of AWS signs requests to Bedrock only, at an address that names the region'

/** An access key of AWS, written `ID:SECRET` or `ID:SECRET:SESSION_TOKEN`. Requests are signed by Signature Version 4. */
export const awsKey: KeyForm = {
  fits: (key) => form.test(key),
  fault(key, baseUrl) {
    const [, id = '', secret, token = ''] = form.exec(key) ?? []
    if (secret === undefined)
      return 'An access key of AWS needs its secret: type ID:SECRET. A Bedrock API key stands alone.'
    if (id.startsWith('ASIA') && token === '')
      return 'A temporary access key of AWS needs its session token: type ID:SECRET:SESSION_TOKEN.'
    return baseUrl !== undefined && placeOf(new URL(baseUrl)) === undefined ? `${elsewhere}.` : undefined
  },
  nameOf: (key) => form.exec(key)?.[1] ?? '',
  signer(key): Signer {
    const [, accessKeyId = '', secretAccessKey = '', sessionToken = ''] = form.exec(key) ?? []
    return {
      secrets: () => [secretAccessKey, sessionToken].filter((text) => text !== ''),
      async headers({ method, url, body }) {
        const place = placeOf(url)
        if (place === undefined) throw new ModelError('model_auth', `${elsewhere}.`, { isRetryable: false })
        const { AwsV4Signer } = await import('aws4fetch')
        const signed = await new AwsV4Signer({
          ...place,
          method,
          url: url.href,
          body: body ?? null,
          accessKeyId,
          secretAccessKey,
          ...(sessionToken !== '' && { sessionToken }),
        }).sign()
        return Object.fromEntries(signed.headers)
      },
    }
  },
}
