import { connect } from '@binnacle/client'

await using client = await connect()

const { gitVersion } = await client.request<{ gitVersion: string }>('GET', '/version')
console.log(gitVersion)
