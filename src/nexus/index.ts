/**
 * nexus/: answers workflows of other namespaces, as the service in contract/nexus.ts says. It imports client/, contract/,
 * gateway/ and process/.
 */
export { paymentsNexusService } from './service';
