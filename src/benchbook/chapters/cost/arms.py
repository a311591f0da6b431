"""The prices, as the notes state them, each to be replaced by one's own."""

from __future__ import annotations

from pydantic import Field

from benchbook.parameters.base import AnalysisParameters


class Parameters(AnalysisParameters):
    """Defaults: the stated prices of notes 000 (17 January 2026) and 003 (4 January 2026)."""

    r8g_2xlarge_on_demand_usd_month: float = Field(
        290.0, gt=0, le=1e6, description="price of an r8g.2xlarge on demand, USD a month"
    )
    r8g_xlarge_on_demand_usd_month: float = Field(
        145.0, gt=0, le=1e6, description="price of an r8g.xlarge on demand, USD a month"
    )
    r8g_xlarge_spot_usd_month: float = Field(
        50.0, gt=0, le=1e6, description="price of an r8g.xlarge as a Spot instance, USD a month"
    )
    common_discount_percent: float = Field(
        70.0, ge=0, lt=100, description="discount that both instances get where they are compared at one discount, in %"
    )
    lakebase_usd_day: float = Field(360.0, gt=0, le=1e8, description="price of Lakebase with 32 CU, USD a day")
    dynamodb_usd_day: float = Field(45000.0, gt=0, le=1e8, description="price of DynamoDB with 30 tables, USD a day")
