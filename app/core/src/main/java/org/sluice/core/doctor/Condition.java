// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import com.google.auto.value.AutoValue;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.Host;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus;
import org.sluice.api.Tenant;
import org.sluice.api.cluster.ClusterStatus;
import org.sluice.api.counters.SwitchCounters;
import org.sluice.api.policy.HostHints;
import org.sluice.api.policy.PolicyFinding;
import org.sluice.core.micro.UnenforcedCap;
import org.sluice.core.sampling.SampleCounts;
import org.sluice.core.sampling.SampleLoss;
import org.sluice.core.setting.Parameters;
import org.sluice.core.silent.SilentEndpoint;
import org.sluice.core.spi.PlatformDiagnosis;
import org.sluice.core.spi.Symptom;
import org.sluice.engine.control.ScaledFloors;

/** All that an examination evaluates, as it is at one moment. */
@AutoValue
abstract class Condition {

  static Builder builder() {
    return new AutoValue_Condition.Builder();
  }

  abstract Instant now();

  /** Sluice's own version; empty: unknown. */
  abstract String version();

  /** The platform, for its remedies. */
  abstract PlatformDiagnosis platform();

  abstract Parameters parameters();

  /** Files that the parameters name and that cannot be read. */
  abstract List<String> unreadableFiles();

  /** Why the lists of hosts that may connect cannot be read; empty: they can. */
  abstract String accessFault();

  /** Why the link's key, certificate or authority cannot be read anew; empty: they can. */
  abstract String filesFault();

  /** When the link's own certificate ends; empty: the link is off. */
  abstract Optional<Instant> certificateNotAfter();

  /** When the last authority for hosts ends. */
  abstract Optional<Instant> authorityNotAfter();

  abstract ClusterStatus cluster();

  /** How far this node's clock is ahead of the cluster's time, microseconds; below 0: behind. */
  abstract long clockAheadMicros();

  /** Whether switches are awaited for fast counters. */
  abstract boolean switchesAwaited();

  abstract List<SwitchCondition> switches();

  /** What does not go away by itself. */
  abstract List<Symptom> symptoms();

  abstract List<PortCondition> ports();

  abstract List<PortStatus> portStatuses();

  /** Ports that cannot keep all that is guaranteed there now. */
  abstract List<ScaledFloors> scaledFloors();

  /** Caps of the last minute that nothing could enforce. */
  abstract List<UnenforcedCap> unenforcedCaps();

  /** Why the policies in force cannot be evaluated. */
  abstract Optional<PolicyFinding> policyFault();

  /** Hosts that policies decide about, where this node evaluates them. */
  abstract List<HostHints> hostHints();

  /** Why no samples of switches are received; empty: they are, or are not wanted. */
  abstract String samplingFault();

  abstract SampleCounts sampleCounts();

  /** What of samples was lost lately, and how often since the collector started. */
  abstract Map<SampleLoss, Long> recentSampleLosses();

  abstract List<Host> hosts();

  /** Hosts of which pairs were refused lately, and of how many samples since the start. */
  abstract Map<HostId, Long> refusedPairs();

  /** What of the settings as they are written is refused or of no effect, in sentences. */
  abstract List<String> refusedSettings();

  abstract List<Tenant> tenants();

  abstract List<Endpoint> endpoints();

  /** Endpoints whose agents are silent, by id. */
  abstract List<SilentEndpoint> silentEndpoints();

  /** Addresses that endpoints claim and do not get, each with the reason. */
  abstract Map<EndpointId, Map<IpAddress, String>> refusedAddresses();

  /** Endpoints that an address would make a tenant's if it were not only learned. */
  abstract Map<EndpointId, IpAddress> learnedStrangers();

  abstract Builder toBuilder();

  /** Builds a condition. */
  @AutoValue.Builder
  abstract static class Builder {
    abstract Builder now(Instant now);

    abstract Builder version(String version);

    abstract Builder parameters(Parameters parameters);

    abstract Builder platform(PlatformDiagnosis platform);

    abstract Builder unreadableFiles(List<String> files);

    abstract Builder accessFault(String text);

    abstract Builder filesFault(String text);

    abstract Builder certificateNotAfter(Optional<Instant> end);

    abstract Builder authorityNotAfter(Optional<Instant> end);

    abstract Builder cluster(ClusterStatus cluster);

    abstract Builder clockAheadMicros(long micros);

    abstract Builder switchesAwaited(boolean awaited);

    abstract Builder switches(List<SwitchCondition> switches);

    abstract Builder symptoms(List<Symptom> symptoms);

    abstract Builder ports(List<PortCondition> ports);

    abstract Builder portStatuses(List<PortStatus> statuses);

    abstract Builder scaledFloors(List<ScaledFloors> floors);

    abstract Builder unenforcedCaps(List<UnenforcedCap> caps);

    abstract Builder policyFault(Optional<PolicyFinding> fault);

    abstract Builder hostHints(List<HostHints> hints);

    abstract Builder samplingFault(String text);

    abstract Builder sampleCounts(SampleCounts counts);

    abstract Builder recentSampleLosses(Map<SampleLoss, Long> counts);

    abstract Builder hosts(List<Host> hosts);

    abstract Builder refusedPairs(Map<HostId, Long> samples);

    abstract Builder refusedSettings(List<String> sentences);

    abstract Builder tenants(List<Tenant> tenants);

    abstract Builder endpoints(List<Endpoint> endpoints);

    abstract Builder silentEndpoints(List<SilentEndpoint> endpoints);

    abstract Builder refusedAddresses(Map<EndpointId, Map<IpAddress, String>> refused);

    abstract Builder learnedStrangers(Map<EndpointId, IpAddress> strangers);

    abstract Condition build();
  }

  /** A switch that the platform has a connection to. */
  @AutoValue
  abstract static class SwitchCondition {
    static SwitchCondition of(String datapath, Optional<String> master, boolean masteredHere) {
      return new AutoValue_Condition_SwitchCondition(
          datapath, master, masteredHere, Optional.empty());
    }

    abstract String datapath();

    /** The node that is its master; empty: none is. */
    abstract Optional<String> master();

    abstract boolean masteredHere();

    /** How its counters are read; empty: unknown yet. */
    abstract Optional<SwitchCounters> counters();

    final SwitchCondition withCounters(Optional<SwitchCounters> counters) {
      return new AutoValue_Condition_SwitchCondition(
          datapath(), master(), masteredHere(), counters);
    }
  }

  /** A port that is up, of a switch that this node is master of. */
  @AutoValue
  abstract static class PortCondition {
    static PortCondition of(PortId id, long capacityBitsPerSecond, Optional<PortId> otherEnd) {
      return new AutoValue_Condition_PortCondition(id, capacityBitsPerSecond, otherEnd);
    }

    abstract PortId id();

    /** 0: unknown. */
    abstract long capacityBitsPerSecond();

    /** The port at the other end of its link; empty: no switch is there. */
    abstract Optional<PortId> otherEnd();
  }
}
