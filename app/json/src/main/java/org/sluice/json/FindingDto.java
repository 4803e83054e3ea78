// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import org.sluice.api.Finding;

/** The fields of a doctor's finding in JSON. */
@JsonPropertyOrder({"severity", "about", "what", "remedy"})
public final class FindingDto {
  @JsonProperty final Finding.Severity severity;
  @JsonProperty final String about;
  @JsonProperty final String what;
  @JsonProperty final String remedy;

  public FindingDto(Finding finding) {
    severity = finding.severity();
    about = finding.about();
    what = finding.what();
    remedy = finding.remedy();
  }
}
