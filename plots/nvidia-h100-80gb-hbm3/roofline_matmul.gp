# A roofline with its data. Draw it again: gnuplot roofline_matmul.gp
if (!exists("svg")) svg = "roofline_matmul.svg"
if (!exists("png")) png = "roofline_matmul.png"
set encoding utf8
$points << EOD
43.4125 2.8387e+12
173.65 3.41434e+13
694.599 5.06792e+13
1438.19 5.0739e+13
89.8868 5.44693e+12
359.547 2.2769e+14
1488.91 7.69924e+14
2876.38 7.47365e+14
93.0567 5.35614e+12
372.227 2.30816e+14
1541.41 7.85394e+14
2977.81 7.78228e+14
44.9434 2.26128e+12
179.774 3.63224e+13
719.094 5.09592e+13
1595.77 5.12461e+13
96.3383 5.18774e+12
385.353 2.28237e+14
1652.05 7.69798e+14
3082.83 7.67313e+14
99.7357 5.3477e+12
398.943 2.32363e+14
1710.3 7.84805e+14
3191.54 7.95024e+14
46.5283 2.23739e+12
186.113 1.30352e+14
744.453 4.02179e+14
1770.62 4.07377e+14
48.1691 2.71883e+12
192.677 3.40479e+13
770.706 4.98268e+13
1833.06 5.10617e+13
103.253 5.2747e+12
413.011 1.90243e+14
1897.7 6.91826e+14
3304.09 6.31861e+14
106.894 5.22393e+12
427.576 1.86205e+14
1964.62 7.01635e+14
3420.61 7.11961e+14
49.8678 4.49851e+12
199.471 6.53847e+13
797.885 9.21761e+13
2033.91 8.85801e+13
36.5054 6.92025e+11
146.022 4.21491e+12
584.086 3.16045e+12
916.529 3.15243e+12
68.1215 7.26783e+11
272.486 3.91009e+12
948.851 3.0061e+12
2179.89 3.18554e+12
70.5238 7.28175e+11
282.095 3.87e+12
982.312 2.95898e+12
2256.76 3.17654e+12
37.7927 2.05558e+12
151.171 8.1449e+12
604.684 8.2204e+12
1016.95 8.41162e+12
73.0108 2.00713e+12
292.043 8.25869e+12
1052.82 8.49771e+12
2336.34 8.52766e+12
75.5855 1.7287e+12
302.342 6.30198e+12
1089.94 6.48338e+12
2418.74 6.55596e+12
39.1255 8.11077e+11
156.502 8.21116e+12
626.008 1.10756e+13
1128.38 1.09839e+13
78.251 8.2671e+11
313.004 1.3593e+13
1168.17 1.9173e+13
2504.03 1.85491e+13
81.0105 8.0414e+11
324.042 1.30158e+13
1209.37 1.68589e+13
2592.34 1.63055e+13
40.5053 5.08183e+12
162.021 5.63239e+13
648.084 1.15148e+14
1252.02 1.21485e+14
41.9337 4.79984e+12
167.735 1.17618e+14
670.939 3.76004e+14
1296.17 3.62307e+14
83.8674 6.20732e+12
335.469 2.41297e+14
1341.88 7.67739e+14
2683.76 7.64381e+14
86.8249 6.02312e+12
347.3 2.45e+14
1389.2 7.79461e+14
2778.4 7.94955e+14
EOD
$lines << EOD
5 4.0022e+13
121.075 9.69134e+14


5 1.50698e+13
321.548 9.69134e+14


5 1.55835e+13
310.948 9.69134e+14


121.075 9.69134e+14
10000 9.69134e+14


115.114 9.21419e+14
10000 9.21419e+14


60.241 4.82193e+14
10000 4.82193e+14


38.3714 3.0714e+14
10000 3.0714e+14


35.2619 1.32979e+14
51.6264 1.32979e+14


65.801 2.65959e+14
110.664 2.65959e+14


EOD
set lmargin at screen 0.08333
set rmargin at screen 0.77500
set bmargin at screen 0.11842
set tmargin at screen 0.90789
set logscale xy
set xrange [5:10000]
set yrange [2e+11:2e+15]
set format x "%g"
set format y "%.0s %c"
set xlabel "Arithmetic intensity (FLOP/byte)" textcolor rgb "#202020"
set ylabel "Performance (FLOP/s)" textcolor rgb "#202020" offset -1,0
set border linecolor rgb "#404040"
set tics textcolor rgb "#202020"
set grid xtics ytics mxtics mytics linetype 1 linecolor rgb "#D8D8D8", linetype 1 linecolor rgb "#F0F0F0"
set label 1000 'Roofline of matmul: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.08333, 0.968 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.08333, 0.925 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Cold figures. Points of one intensity stand side by side under a red cap, their memory roof.' at screen 0.08333, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set label 'L2 8.00 TB/s' at 5.41056, 5.17845e+13 left rotate by 30.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'copy 3.01 TB/s' at 5.99887, 1.45899e+13 left rotate by 30.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'read 3.12 TB/s' at 5.41056, 2.01635e+13 left rotate by 30.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor bf16 969 TFLOP/s, tensor f16 921 TFLOP/s' at 9293.58, 1.12993e+15 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor tf32 482 TFLOP/s' at 9293.58, 5.62196e+14 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor f16 / 3 307 TFLOP/s' at 9293.58, 3.58099e+14 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set key at screen 0.79, 0.90789 top left Left reverse noenhanced textcolor rgb "#202020" samplen 1 spacing 1.15 font ",11" nobox
set terminal svg size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle, \
  $lines index 1-1 with lines linecolor rgb "#404040" dt 4 lw 1.4 notitle, \
  $lines index 2-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 3-1 with lines linecolor rgb "#404040" dt 3 lw 1.4 notitle, \
  $lines index 4-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 5-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 6-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 7-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 8-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 9-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $points every ::1-1::1-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::2-1::2-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::3-1::3-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::4-1::4-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::5-1::5-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::6-1::6-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::7-1::7-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::8-1::8-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::9-1::9-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::10-1::10-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::11-1::11-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::12-1::12-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::13-1::13-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::14-1::14-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::15-1::15-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::16-1::16-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::17-1::17-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::18-1::18-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::19-1::19-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::20-1::20-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::21-1::21-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::22-1::22-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::23-1::23-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::24-1::24-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::25-1::25-1 with points pointtype 12 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::26-1::26-1 with points pointtype 12 linecolor rgb "#0A58CA" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::27-1::27-1 with points pointtype 12 linecolor rgb "#0A58CA" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::28-1::28-1 with points pointtype 12 linecolor rgb "#0A58CA" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::29-1::29-1 with points pointtype 6 linecolor rgb "#B02A37" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::30-1::30-1 with points pointtype 6 linecolor rgb "#B02A37" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::31-1::31-1 with points pointtype 6 linecolor rgb "#B02A37" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::32-1::32-1 with points pointtype 6 linecolor rgb "#B02A37" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::33-1::33-1 with points pointtype 8 linecolor rgb "#146C43" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::34-1::34-1 with points pointtype 8 linecolor rgb "#146C43" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::35-1::35-1 with points pointtype 8 linecolor rgb "#146C43" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::36-1::36-1 with points pointtype 8 linecolor rgb "#146C43" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::37-1::37-1 with points pointtype 4 linecolor rgb "#146C43" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::38-1::38-1 with points pointtype 4 linecolor rgb "#146C43" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::39-1::39-1 with points pointtype 4 linecolor rgb "#146C43" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::40-1::40-1 with points pointtype 4 linecolor rgb "#146C43" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::41-1::41-1 with points pointtype 12 linecolor rgb "#6C4A00" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::42-1::42-1 with points pointtype 12 linecolor rgb "#6C4A00" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::43-1::43-1 with points pointtype 12 linecolor rgb "#6C4A00" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::44-1::44-1 with points pointtype 12 linecolor rgb "#6C4A00" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::45-1::45-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::46-1::46-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::47-1::47-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::48-1::48-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::49-1::49-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::50-1::50-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::51-1::51-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::52-1::52-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::53-1::53-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::54-1::54-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::55-1::55-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::56-1::56-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::57-1::57-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::58-1::58-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::59-1::59-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::60-1::60-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::61-1::61-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::62-1::62-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::63-1::63-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::64-1::64-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::65-1::65-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::66-1::66-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::67-1::67-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::68-1::68-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::69-1::69-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::70-1::70-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::71-1::71-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::72-1::72-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::73-1::73-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::74-1::74-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::75-1::75-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::76-1::76-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::77-1::77-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::78-1::78-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::79-1::79-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::80-1::80-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::81-1::81-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::82-1::82-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::83-1::83-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::84-1::84-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::85-1::85-1 with points pointtype 13 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::86-1::86-1 with points pointtype 13 linecolor rgb "#D55E00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::87-1::87-1 with points pointtype 13 linecolor rgb "#D55E00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::88-1::88-1 with points pointtype 13 linecolor rgb "#D55E00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::89-1::89-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::90-1::90-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::91-1::91-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::92-1::92-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::93-1::93-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::94-1::94-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::95-1::95-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::96-1::96-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.19 linewidth 1.0 notitle, \
  NaN with lines linecolor rgb "white" title 'Kernels', \
  NaN with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.6 title 'v1_baseline', \
  NaN with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.6 title 'v2_tiling', \
  NaN with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.6 title 'v3_coalesced', \
  NaN with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.6 title 'v4_optimized', \
  NaN with lines linecolor rgb "white" title 'Peers', \
  NaN with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.6 title 'cublas', \
  NaN with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.6 title 'cublaslt', \
  NaN with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.40 linewidth 1.6 title 'cublaslt_tf32', \
  NaN with points pointtype 6 linecolor rgb "#B02A37" pointsize 1.40 linewidth 1.6 title 'torch_eager', \
  NaN with points pointtype 6 linecolor rgb "#146C43" pointsize 1.40 linewidth 1.6 title 'triton', \
  NaN with points pointtype 6 linecolor rgb "#6C4A00" pointsize 1.40 linewidth 1.6 title 'triton_tf32', \
  NaN with lines linecolor rgb "white" title 'Dtypes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32', \
  NaN with points pointtype 13 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32 as tf32', \
  NaN with points pointtype 9 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f16', \
  NaN with points pointtype 5 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'bf16', \
  NaN with lines linecolor rgb "white" title 'Sizes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.80 linewidth 1.6 title 'small', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.93 linewidth 1.6 title 'medium', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.06 linewidth 1.6 title 'large', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.19 linewidth 1.6 title 'xlarge'
set terminal pngcairo size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
